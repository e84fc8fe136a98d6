// What the figures of a result were measured on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/results/results.h"
#include "report/results/validated.h"

namespace preon {

/// Name in JSON: held_out, ranges_have_seen, ...
std::string_view FigureOriginName(FigureOrigin origin);
/// "20 samples that were kept from calibration and choices; 95 % intervals in parentheses".
std::string FiguresText(const FigureSamples& figures, int64_t samples);
/// "97.9 %", "12.34 dB", "1.2345 nats".
std::string MetricValueText(MetricUnit unit, double value);
/// "1.50 points (0.20 to 2.80)", "0.0150 nats": of a loss below 0 the gain. `of` comes after the unit.
std::string MetricLossText(MetricUnit unit, double loss, const std::optional<ConfidenceInterval>& interval,
                           std::string_view of = "");
/// How the rows of single methods were made, where that is not as quantize makes them; "" where there are none.
std::string MethodsText(const std::vector<ValidatedModel>& models);

}  // namespace preon
