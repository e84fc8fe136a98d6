// The methods of this folder; config/builtins.cc puts them into the registry.
#pragma once

#include <memory>
#include <string_view>

#include "ranges/range_method.h"

namespace preon {

/// Where no trials can tell which method is best for a model: of the candidates of auto the one with the least error on
/// average (figures: docs/methods/auto.md), with GraphAware=true.
inline constexpr std::string_view kMethodWithoutTrials = "minmse";

std::unique_ptr<RangeMethod> MakeAutoMethod();
std::unique_ptr<RangeMethod> MakeMinMaxMethod();
std::unique_ptr<RangeMethod> MakePercentileMethod();
std::unique_ptr<RangeMethod> MakeLayerwisePercentileMethod();
std::unique_ptr<RangeMethod> MakeSampleExtremesMethod();
std::unique_ptr<RangeMethod> MakeMinMseMethod();
std::unique_ptr<RangeMethod> MakeNonOverflowMethod();
std::unique_ptr<RangeMethod> MakeEntropyMethod();
std::unique_ptr<RangeMethod> MakeDistributionMethod();

}  // namespace preon
