// What was asked for and did nothing for this model: known only once the result is there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "report/results/results.h"

namespace preon {

/// A warning for each algorithm that was asked for by name and found no layer to change.
std::vector<std::string> WarningsOfUnusedAlgorithms(const std::vector<ImprovedCodes>& improved,
                                                    const std::map<std::string, AskedAlgorithm>& asked);

/// A warning where the file is no smaller than the float model's, although weights are in blocks; "" else.
/// @param weights_alone  the target quantizes nothing else
std::string WarningOfLargeBlocks(int64_t block_size, const SettingOrigins& origins, bool weights_alone,
                                 int64_t float_size_bytes, int64_t size_bytes);

}  // namespace preon
