#include "quantize/targets/op_list/alignments.h"

#include <algorithm>

namespace preon {
namespace {

enum class Direction { kInputsTakeOutput, kInputTakesOutput, kOutputTakesInput };

struct Alignment {
  std::optional<bool> AlignOptions::*wanted;
  std::vector<std::string_view> op_types;
  Direction direction;
};

// In the order in which Quark makes them.
const std::vector<Alignment>& Alignments() {
  static const std::vector<Alignment> all = {
      {&AlignOptions::concat, {"Concat"}, Direction::kInputsTakeOutput},
      {&AlignOptions::pool, {"MaxPool", "AveragePool", "GlobalAveragePool"}, Direction::kOutputTakesInput},
      {&AlignOptions::pad, {"Pad"}, Direction::kInputTakesOutput},
      {&AlignOptions::slice, {"Slice"}, Direction::kOutputTakesInput},
      {&AlignOptions::transpose, {"Transpose"}, Direction::kInputTakesOutput},
      {&AlignOptions::reshape, {"Reshape"}, Direction::kInputTakesOutput}};
  return all;
}

}  // namespace

void PlanAlignments(const Graph& graph, const AlignOptions& align, QuantPlan* plan) {
  if (!align.enabled) return;
  plan->align_rounds = align.rounds;
  const auto has_pair = [&](const std::string& tensor) {
    const auto found = plan->activations.find(tensor);
    return found != plan->activations.end() && !found->second.block && found->second.pair;
  };
  const auto take = [&](const std::string& tensor, const std::string& from) {
    if (has_pair(tensor) && has_pair(from)) plan->aligned.emplace_back(tensor, from);
  };
  for (const Alignment& alignment : Alignments()) {
    if (!(align.*alignment.wanted).value_or(false)) continue;
    for (const auto& node : graph.nodes()) {
      if (!std::ranges::any_of(alignment.op_types, [&](std::string_view type) { return node->Is(type); })) continue;
      if (alignment.direction == Direction::kOutputTakesInput) take(node->output(), node->input(0));
      if (alignment.direction == Direction::kInputTakesOutput) take(node->input(0), node->output());
      if (alignment.direction != Direction::kInputsTakeOutput) continue;
      for (const std::string& input : node->inputs()) take(input, node->output());
    }
  }
}

}  // namespace preon
