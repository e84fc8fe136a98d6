// What the figures of a result were measured on.
#pragma once

#include <string>
#include <string_view>

#include "report/results/results.h"

namespace preon {

/// Name in JSON: held_out, ranges_have_seen, ...
std::string_view FigureOriginName(FigureOrigin origin);
/// "20 samples that were kept from calibration and choices; 95 % intervals in parentheses".
std::string FiguresText(const FigureSamples& figures, int64_t samples);

}  // namespace preon
