#include "algorithms/convolution_pairs.h"

#include <set>

#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

/// The one Conv that reads the tensor, or null.
const Node* OnlyConvReader(const Graph& graph, const std::string& tensor) {
  if (graph.UseCount(tensor) != 1 || graph.IsOutput(tensor) || graph.HasCapturedUse(tensor)) return nullptr;
  const Use use = graph.Uses(tensor).front();
  return use.node->Is("Conv") && use.input == 0 ? use.node : nullptr;
}

/// A weight of its own, and a bias, if any, of its own.
bool OwnsConstants(const Graph& graph, const QuantPlan& plan, const Node& conv) {
  const auto weight = plan.weights.find(conv.input(1));
  const bool own_weight = weight != plan.weights.end() && !weight->second.HasGivenScales() && !weight->second.range &&
                          graph.UseCount(conv.input(1)) == 1;
  const std::string bias = conv.input(2);
  return own_weight && (bias.empty() || (graph.Initializer(bias) != nullptr && graph.UseCount(bias) == 1));
}

bool TakesChannels(const Graph& graph, const Node& reader) {
  return IsDepthwise(graph, reader) || reader.Int("group", 1) == 1;
}

}  // namespace

std::vector<ConvolutionPair> FindConvolutionPairs(const Graph& graph, const QuantPlan& plan) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  std::set<std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared.insert({tensor, activation.shares});
    if (!activation.range_of.empty()) shared.insert({tensor, activation.range_of});
  }
  const auto owns = [&](const Node& conv) { return integer.contains(conv.name) && OwnsConstants(graph, plan, conv); };
  std::vector<ConvolutionPair> pairs;
  for (const std::string& tensor : plan.RangeTensors()) {
    const Node* reader = OnlyConvReader(graph, tensor);
    const Node* writer = graph.Producer(tensor);
    const Node* clamp = writer != nullptr && ClampRange(graph, *writer) ? writer : nullptr;
    if (clamp != nullptr) writer = graph.UseCount(clamp->input(0)) == 1 ? graph.Producer(clamp->input(0)) : nullptr;
    if (reader == nullptr || writer == nullptr || !writer->Is("Conv") || shared.contains(tensor)) continue;
    if (owns(*writer) && owns(*reader) && TakesChannels(graph, *reader))
      pairs.push_back({tensor, writer, clamp, reader});
  }
  return pairs;
}

}  // namespace preon
