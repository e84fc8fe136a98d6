// Segments: the part of a model between tensors that are known and tensors that are wanted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// The nodes that lead from `known` to `wanted`, as a model of its own. `known` not needed for that are no inputs of
/// it.
Model Segment(const Model& model, const std::map<std::string, ValueInfo>& known,
              const std::vector<std::string>& wanted);

/// What has to be known in front of `node` to run it and all behind it: tensors of nodes before it and graph inputs.
/// Where a DequantizeLinear writes one, its codes stand for it: they are smaller, and it runs in no time.
std::set<std::string> AliveBefore(const Graph& graph, const Node& node);
/// The tensor itself, or the codes that stand for it.
const std::string& StoredAs(const Graph& graph, const std::string& tensor);

}  // namespace preon
