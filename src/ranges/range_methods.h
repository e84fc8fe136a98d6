// The methods of this folder; config/builtins.cc puts them into the registry.
#pragma once

#include <memory>

#include "ranges/range_method.h"

namespace preon {

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
