// What algorithms share that divide channels by what their extremes tell (quantize/write/divided_channels.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calib/collected_statistics.h"
#include "calib/statistics_request.h"
#include "quantize/write/write_hook.h"

namespace preon {

/// For each channel, the share of `covered`, the range of the tensor's codes, that it reaches: what it is to be divided
/// by. 1/256 to 1: below, a channel is as good as dead. 1 for one of zeros alone.
std::vector<float> ChannelFactors(const ChannelExtremes& extremes, const Range& covered);

/// Factors for the channels of a tensor with these extremes, whose codes have the range `covered`; empty: the tensor
/// stays as it is.
using FactorsOf = std::vector<float> (*)(const Graph& graph, const std::string& tensor, const ChannelExtremes& extremes,
                                         const Range& covered);

StatisticsRequest ExtremesOf(const std::vector<std::string>& tensors);

/// Divides the channels of those tensors whose extremes were collected, before weights get codes.
std::unique_ptr<WriteHook> DivideByExtremes(const std::vector<std::string>& tensors,
                                            const CollectedStatistics& collected, FactorsOf factors_of);

}  // namespace preon
