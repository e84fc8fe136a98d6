#include "quantize/targets/tensorrt/fused_groups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace preon {
namespace {

// Behind the sum with another tensor a kernel has activation functions alone.
constexpr auto kBehindSums =
    std::to_array<std::string_view>({"Relu", "Clip", "LeakyRelu", "PRelu", "Elu", "Sigmoid", "HardSigmoid", "Tanh"});

std::vector<std::string> VariablesOf(const Graph& graph, const Node& node) {
  std::vector<std::string> variables;
  for (const std::string& input : node.inputs()) {
    if (!input.empty() && graph.Initializer(input) == nullptr && std::ranges::find(variables, input) == variables.end())
      variables.push_back(input);
  }
  return variables;
}

}  // namespace

FusedGroups::FusedGroups(const Graph& graph, const TensorrtRoles& roles) : graph_(graph) {
  for (const auto& node : graph.nodes()) {
    int depth = 0;
    for (const std::string& input : node->inputs()) {
      const Node* producer = graph.Producer(input);
      if (producer != nullptr) depth = std::max(depth, depths_.at(producer));
    }
    depths_[node.get()] = depth + 1;
    const TensorrtRole role = roles.at(node.get()).role;
    if (role == TensorrtRole::kLayer) layers_[node->output()] = node.get();
    if (role == TensorrtRole::kPointwise) Join(*node);
  }
}

const Node* FusedGroups::LayerOf(const std::string& tensor) const {
  const auto found = layers_.find(tensor);
  return found == layers_.end() ? nullptr : found->second;
}

const std::string* FusedGroups::SummandOf(const Node& add) const {
  const auto found = summands_.find(&add);
  return found == summands_.end() ? nullptr : &found->second;
}

void FusedGroups::Join(const Node& node) {
  const std::vector<std::string> variables = VariablesOf(graph_, node);
  if (variables.empty()) return;
  const Node* layer = LayerOf(variables[0]);
  if (sums_.contains(layer) && variables.size() == 1 && !Contains(kBehindSums, node.op_type)) return;
  const auto is_same = [&](const std::string& tensor) { return LayerOf(tensor) == layer; };
  if (layer != nullptr && std::ranges::all_of(variables, is_same))
    layers_[node.output()] = layer;
  else if (node.Is("Add") && variables.size() == 2)
    JoinAsSum(node, variables[0], variables[1]);
}

// Of two convolutions the one behind more nodes adds the other's result: that is the shortcut, which is there first.
void FusedGroups::JoinAsSum(const Node& node, const std::string& first, const std::string& second) {
  const bool by_first = CanAdd(node, first, second), by_second = CanAdd(node, second, first);
  if (!by_first && !by_second) return;
  const auto depth = [&](const std::string& tensor) { return depths_.at(graph_.Producer(tensor)); };
  const bool is_first = by_first && (!by_second || depth(first) >= depth(second));
  const std::string& own = is_first ? first : second;
  const Node* layer = LayerOf(own);
  layers_[node.output()] = layer;
  summands_[&node] = is_first ? second : first;
  sums_[layer] = &node;
}

// A result that others read, too, has to be written before the sum; and a kernel adds one tensor of the result's shape.
bool FusedGroups::CanAdd(const Node& node, const std::string& own, const std::string& other) const {
  const Node* layer = LayerOf(own);
  if (layer == nullptr || !IsConvolution(*layer) || sums_.contains(layer) || OnlyReader(graph_, own) != &node)
    return false;
  const std::optional<Shape> shape = graph_.ShapeOf(own), added = graph_.ShapeOf(other);
  return !shape || !added || *shape == *added;
}

}  // namespace preon
