// Largest magnitudes along a tensor's last axis: what a MatMul's input channels reach.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stats/tensor_statistic.h"

namespace preon {

/// The statistic of tensors whose last dimension is `size`. Infinities do not count.
const StatisticKind& LastAxisExtremes(int64_t size);

/// What it has serialized; empty where a run's memory order hid the last axis.
std::vector<float> ParseLastAxisExtremes(std::string_view serialized);

}  // namespace preon
