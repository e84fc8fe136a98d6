// Some batches of a source.
#pragma once

#include <functional>
#include <memory>

#include "data/data_source.h"

namespace preon {

/// The batches of `source` for which `takes` holds, which is asked once for each, in order.
/// @param count  samples in them, where that is known
std::unique_ptr<DataSource> Filtered(std::unique_ptr<DataSource> source, std::function<bool(const Batch& batch)> takes,
                                     std::optional<int64_t> count = std::nullopt);

}  // namespace preon
