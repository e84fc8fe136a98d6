#include "algorithms/equalization_patterns.h"

#include <algorithm>

#include "algorithms/scaled_layer.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"

namespace preon {
namespace {

// The next layer behind `node` over nodes that `passes` takes; null where others read what is between.
Node* NextLayer(const Graph& graph, const Node& node, const NodeFilter& passes) {
  const Node* at = &node;
  while (true) {
    Node* reader = OnlyReader(graph, at->output());
    if (reader == nullptr || reader->input(0) != at->output()) return nullptr;
    if (!passes(*reader)) return reader;
    at = reader;
  }
}

bool IsRelu(const Node& node) { return node.Is("Relu"); }

}  // namespace

std::vector<EqualizationPattern> FindEqualizationPatterns(const Graph& graph, const NodeFilter& quantized) {
  const auto is_layer = [&](const Node& node) { return quantized(node) && IsScalableLayer(graph, node); };
  const auto keeps = [&](const Node& node) { return KeepsFactors(graph, node); };
  const auto is_whole_conv = [&](const Node& node) {
    return node.Is("Conv") && node.Int("group", 1) == 1 && is_layer(node);
  };
  std::vector<EqualizationPattern> patterns;
  for (const auto& head : graph.nodes()) {
    if (!is_layer(*head) || !CanScaleOutputs(graph, *head)) continue;
    Node* tail = NextLayer(graph, *head, keeps);
    if (tail != nullptr && is_layer(*tail) && ReadsChannels(*tail)) patterns.push_back({{head.get(), tail}});
    if (!is_whole_conv(*head)) continue;
    Node* middle = NextLayer(graph, *head, IsRelu);
    if (middle == nullptr || !KeepsChannels(graph, *middle) || !is_layer(*middle) || !CanScaleOutputs(graph, *middle))
      continue;
    Node* last = NextLayer(graph, *middle, IsRelu);
    if (last != nullptr && is_whole_conv(*last)) patterns.push_back({{head.get(), middle, last}});
  }
  return patterns;
}

}  // namespace preon
