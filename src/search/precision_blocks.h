// Blocks of layers out of a file of sub-graphs, as Quark's mixed precision has them.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// What is in no block.
inline constexpr const char* kUngrouped = "__ungrouped__";

/// The block of each node that is in one, of {"num_subgraphs": N, "subgraphs": [{"name", "start_nodes", "end_nodes"}]}:
/// what is reachable from the starts without passing an end; what two have is the first one's.
/// Errors: kFileNotFound, kIoRead; kBadConfig for another number of blocks and for what is no such file;
/// kNameNotInModel.
Result<std::map<std::string, std::string>> ReadPrecisionBlocks(const std::string& path, const Graph& graph);

}  // namespace preon
