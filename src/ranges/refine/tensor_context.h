// TensorContext: what the graph knows about a tensor's values that its sketch does not.
#pragma once

#include <map>
#include <set>
#include <string>

#include "ir/graph.h"
#include "ranges/refine/read_activation.h"

namespace preon {

struct TensorContext {
  bool is_output = false;  ///< of the model, or only decoded on the way there (FindOutputTensors)
  ReadActivation read_activation = ReadActivation::kNone;  ///< the function through which all its readers see it

  bool operator==(const TensorContext&) const = default;
};
/// By tensor; none of those about which there is nothing to know.
using TensorContexts = std::map<std::string, TensorContext>;

TensorContexts FindTensorContexts(const Graph& graph, const std::set<std::string>& tensors);

}  // namespace preon
