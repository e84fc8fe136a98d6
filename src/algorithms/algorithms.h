// Makers of all algorithms; config/builtins.cc lists them in the order in which they act.
#pragma once

#include <memory>

#include "algorithms/algorithm.h"

namespace preon {

std::unique_ptr<Algorithm> MakeChannelScalesAlgorithm();
std::unique_ptr<Algorithm> MakeBiasCorrectionAlgorithm();

}  // namespace preon
