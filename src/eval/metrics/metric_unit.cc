#include "eval/metrics/metric_unit.h"

#include <algorithm>

namespace preon {
namespace {

constexpr MetricUnitText kTexts[] = {
    {MetricUnit::kShare, "share", "%", 100, "%.1f %%", "%.2f", "points",
     "is a share; wanted a drop in percent, for example drop<=1%"},
    {MetricUnit::kDecibel, "dB", "dB", 1, "%.2f dB", "%.4f", "dB",
     "is measured in dB; wanted a drop in dB, for example drop<=0.3dB"},
    {MetricUnit::kNats, "nats", "nats", 1, "%.4f nats", "%.4f", "nats",
     "is measured in nats; wanted a drop in nats, for example drop<=0.01nats"},
    {MetricUnit::kNumber, "number", "", 1, "%.4f", "%.4f", "units",
     "is a number without a unit; wanted a drop without one, for example drop<=0.5"},
};

}  // namespace

std::span<const MetricUnitText> MetricUnitTexts() { return kTexts; }

const MetricUnitText& TextOf(MetricUnit unit) { return *std::ranges::find(kTexts, unit, &MetricUnitText::unit); }

}  // namespace preon
