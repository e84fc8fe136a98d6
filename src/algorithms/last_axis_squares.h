// Mean squares along a tensor's last axis: how much an error of a MatMul's weight counts in the outputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stats/tensor_statistic.h"

namespace preon {

/// The statistic of tensors whose last dimension is `size`. Values that are not finite do not count.
const StatisticKind& LastAxisSquares(int64_t size);

/// The means of what it has serialized; empty where a run's memory order hid the last axis, or there were no values.
std::vector<double> ParseLastAxisSquares(std::string_view serialized);

}  // namespace preon
