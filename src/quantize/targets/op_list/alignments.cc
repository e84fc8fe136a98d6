#include "quantize/targets/op_list/alignments.h"

#include "quantize/plan/alignment.h"

namespace preon {
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
      if (!alignment.Concerns(*node)) continue;
      if (alignment.direction == AlignDirection::kOutputTakesInput) take(node->output(), node->input(0));
      if (alignment.direction == AlignDirection::kInputTakesOutput) take(node->input(0), node->output());
      if (alignment.direction != AlignDirection::kInputsTakeOutput) continue;
      for (const std::string& input : node->inputs()) take(input, node->output());
    }
  }
}

}  // namespace preon
