#include "quantize/targets/op_list/pairless_tensors.h"

#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 8> kKernels = {
    "Conv", "Add", "MaxPool", "AveragePool", "GlobalAveragePool", "MatMul", "Gemm", "ConvTranspose"};

bool HasInitializersAsBounds(const Graph& graph, const Node& clip) {
  const auto is_other = [&](const std::string& bound) { return !bound.empty() && graph.Initializer(bound) == nullptr; };
  return !clip.Has("min") && !clip.Has("max") && !is_other(clip.input(1)) && !is_other(clip.input(2));
}

// Output of a kernel that one activation function reads: the pair belongs behind that function.
bool FeedsActivationFunction(const Graph& graph, const RemovedPairs& removed, bool initializers_alone,
                             const Node& node) {
  const std::string& output = node.output();
  if (graph.UseCount(output) != 1 || graph.IsOutput(output) || graph.HasCapturedUse(output)) return false;
  const Use use = graph.Uses(output)[0];
  if (use.input != 0) return false;
  const Node& reader = *use.node;
  if (node.Is("Pad")) return reader.Is("AveragePool") || reader.Is("GlobalAveragePool");
  if (!Contains(kKernels, node.op_type) && !(removed.instance_norm && node.Is("InstanceNormalization"))) return false;
  if (reader.Is("Relu")) return removed.conv_relu;
  if (reader.Is("LeakyRelu")) return removed.conv_leaky_relu;
  if (reader.Is("PRelu")) return removed.conv_prelu;
  if (reader.op_type == "Gelu") return removed.conv_gelu;
  if (!reader.Is("Clip") || !removed.conv_clip || (initializers_alone && !HasInitializersAsBounds(graph, reader)))
    return false;
  const std::optional<Range> bounds = ClampRange(graph, reader);
  return bounds && bounds->min == 0 && (bounds->max == 6 || bounds->max == 1);
}

}  // namespace

std::set<std::string> PairlessTensors(const Graph& graph, const RemovedPairs& removed, bool initializers_alone) {
  std::set<std::string> pairless;
  for (const auto& node : graph.nodes()) {
    if (!node->outputs().empty() && FeedsActivationFunction(graph, removed, initializers_alone, *node))
      pairless.insert(node->output());
    for (const auto& [upper, lower] : removed.between) {
      if (node->op_type != upper) continue;
      for (const std::string& output : node->outputs()) {
        if (graph.UseCount(output) == 1 && !graph.IsOutput(output) && graph.Uses(output)[0].node->op_type == lower)
          pairless.insert(output);
      }
    }
  }
  return pairless;
}

}  // namespace preon
