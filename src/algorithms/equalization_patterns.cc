#include "algorithms/equalization_patterns.h"

#include <algorithm>

#include "algorithms/scaled_layer.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"

namespace preon {
namespace {

bool IsOneGroup(const Node& conv) { return conv.Int("group", 1) == 1; }

bool IsLayer(const Graph& graph, const Node& node, const NodeFilter& quantized) {
  if (!(node.Is("Conv") || node.Is("Gemm")) || node.inputs().size() < 2 || !quantized(node)) return false;
  const Tensor* weight = FloatConstant(graph, node.input(1));
  if (weight == nullptr || weight->shape().size() < 2) return false;
  return node.Is("Gemm") || IsOneGroup(node) || KeepsChannels(graph, node);
}

// Its outputs can be scaled: there is no bias, or one value for each.
bool CanScaleOutputs(const Graph& graph, const Node& node) {
  if (node.input(2).empty()) return true;
  const Tensor* bias = FloatConstant(graph, node.input(2));
  const Tensor& weight = *graph.Initializer(node.input(1));
  const bool columns = node.Is("Gemm") && node.Int("transB", 0) == 0;
  return bias != nullptr && !bias->shape().empty() && bias->shape().back() == weight.shape()[columns ? 1 : 0] &&
         ElementCount(bias->shape()) == bias->shape().back();
}

// Its input channels lie along axis 1.
bool ReadsChannels(const Node& node) { return node.Is("Conv") || node.Int("transA", 0) == 0; }

// Over places alone: batch and channels stay where they are.
bool AveragesPlaces(const Graph& graph, const Node& reduce) {
  const std::optional<Shape> shape = graph.ShapeOf(reduce.input(0));
  const std::vector<int64_t> axes = IntsOf(graph, reduce, 1, "axes").value_or(std::vector<int64_t>());
  const auto is_place = [&](int64_t axis) {
    return axis >= 2 || (axis < 0 && shape && axis + std::ssize(*shape) >= 2);
  };
  return !axes.empty() && std::ranges::all_of(axes, is_place);
}

// Puts nothing beside channels, and around them only what scales with them.
bool PadsPlaces(const Graph& graph, const Node& pad) {
  const std::vector<int64_t> pads = IntsOf(graph, pad, 1, "pads").value_or(std::vector<int64_t>());
  const size_t rank = pads.size() / 2;
  if (rank < 2 || pads.size() % 2 != 0 || !pad.input(3).empty()) return false;
  if (pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank + 1] != 0) return false;
  return pad.String("mode", "constant") != "constant" || PadsWithZero(graph, pad);
}

bool KeepsFactors(const Graph& graph, const Node& node) {
  return node.Is("Relu") || node.Is("LeakyRelu") || (node.Is("ReduceMean") && AveragesPlaces(graph, node)) ||
         (node.Is("Pad") && PadsPlaces(graph, node));
}

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
  const auto keeps = [&](const Node& node) { return KeepsFactors(graph, node); };
  const auto is_whole_conv = [&](const Node& node) {
    return node.Is("Conv") && IsOneGroup(node) && IsLayer(graph, node, quantized);
  };
  std::vector<EqualizationPattern> patterns;
  for (const auto& head : graph.nodes()) {
    if (!IsLayer(graph, *head, quantized) || !CanScaleOutputs(graph, *head)) continue;
    Node* tail = NextLayer(graph, *head, keeps);
    if (tail != nullptr && IsLayer(graph, *tail, quantized) && ReadsChannels(*tail))
      patterns.push_back({{head.get(), tail}});
    if (!is_whole_conv(*head)) continue;
    Node* middle = NextLayer(graph, *head, IsRelu);
    if (middle == nullptr || !KeepsChannels(graph, *middle) || !IsLayer(graph, *middle, quantized) ||
        !CanScaleOutputs(graph, *middle))
      continue;
    Node* last = NextLayer(graph, *middle, IsRelu);
    if (last != nullptr && is_whole_conv(*last)) patterns.push_back({{head.get(), middle, last}});
  }
  return patterns;
}

}  // namespace preon
