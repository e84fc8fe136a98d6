#include "pipeline/gain.h"

#include <cstdio>

#include "base/text.h"
#include "report/text_writer.h"

namespace preon {
namespace {

// What names and scales of a few Q/DQ nodes take; a file takes that much on a disk anyway.
constexpr int64_t kFewBytes = 4096;

// Saving less than this changes nothing beside the size of the runtime: such a result must not seem slower.
constexpr int64_t kNoticeableBytes = 65'536;

// A share of the work and of the file that nobody would quantize a model for.
constexpr double kHardlyAny = 0.05;

// That little can't make a model faster by more, whatever a measurement says.
bool HardlyAnythingGains(const ResultFigures& figures) {
  const double share = figures.integer_macs_share;
  const auto before = static_cast<double>(figures.float_size_bytes);
  const auto after = static_cast<double>(figures.quantized_size_bytes);
  return share > 0 && share < kHardlyAny && after > (1 - kHardlyAny) * before;
}

bool IsKnown(const Speedup& speedup) { return speedup.median > 0 && !speedup.busy; }

}  // namespace

std::string WhyNothingIsGained(const ResultFigures& figures, Doubt doubt) {
  if (!figures.has_integer_nodes) return "no node runs in integers";
  if (HardlyAnythingGains(figures)) {
    char text[112];
    std::snprintf(text, sizeof(text),
                  "only %.1f %% of the multiply-accumulates run in integers, and the file is hardly smaller",
                  100 * figures.integer_macs_share);
    return text;
  }
  const Speedup& speedup = figures.speedup;
  const bool knows_speed = IsKnown(speedup);
  const bool is_faster = knows_speed && speedup.low > 1;
  const int64_t more = figures.quantized_size_bytes - figures.float_size_bytes;
  const bool may_be_larger = is_faster || (!knows_speed && doubt == Doubt::kIsNoLoss);
  if (more > (may_be_larger ? kFewBytes : 0)) {
    const std::string sizes = StrCat("the file is larger, ", BytesText(figures.quantized_size_bytes), " instead of ",
                                     BytesText(figures.float_size_bytes));
    return more <= kFewBytes && knows_speed ? StrCat(sizes, ", at ", SpeedText(speedup)) : sizes;
  }
  const bool is_slower = doubt == Doubt::kIsNoGain || speedup.high < 1 || -more < kNoticeableBytes;
  return is_slower ? WhyProbablySlower(speedup) : "";
}

std::string WhyProbablySlower(const Speedup& speedup) {
  return IsKnown(speedup) && speedup.median < 1 ? StrCat("it runs at ", SpeedText(speedup)) : "";
}

}  // namespace preon
