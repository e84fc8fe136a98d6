#include "search/precision_candidates.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/spelling.h"
#include "quantize/settings/node_selection.h"
#include "search/precision_blocks.h"

namespace preon {
namespace {

// Does some node of the graph stand for each name?
Status CheckLayerNames(const Graph& graph, const std::vector<std::string>& names, std::string_view where) {
  for (const std::string& name : names) {
    const auto stands = [&](const auto& node) { return StandsForOne(*node, {name}); };
    if (std::ranges::any_of(graph.nodes(), stands)) continue;
    std::vector<std::string> known;
    for (const auto& node : graph.nodes()) known.push_back(node->name);
    return Error(ErrorId::kNameNotInModel, where, ": the model has no node '", name, "'", DidYouMean(name, known));
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<PrecisionCandidate>> FindPrecisionCandidates(const Graph& graph, const QuantPlan& plan,
                                                                const PrecisionCandidates& wanted) {
  PREON_RETURN_IF_ERROR(CheckLayerNames(graph, wanted.include, "include_layers"));
  PREON_RETURN_IF_ERROR(CheckLayerNames(graph, wanted.exclude, "exclude_layers"));
  std::map<std::string, std::string> block_of;
  if (!wanted.blocks.empty()) {
    PREON_ASSIGN_OR_RETURN(block_of, ReadPrecisionBlocks(wanted.blocks, graph));
  }
  const std::set<std::string> include(wanted.include.begin(), wanted.include.end());
  const std::set<std::string> exclude(wanted.exclude.begin(), wanted.exclude.end());
  std::vector<PrecisionCandidate> candidates;
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    if (decision.reason != FloatReason::kNone || node == nullptr) continue;
    if (std::ranges::find(wanted.op_types, node->op_type) == wanted.op_types.end()) continue;
    if (!include.empty() && !StandsForOne(*node, include)) continue;
    if (StandsForOne(*node, exclude)) continue;
    if (wanted.own_inputs && graph.Uses(node->input(0)).size() > 1) continue;
    const auto block = block_of.find(node->name);
    std::string name = wanted.blocks.empty() ? node->name : block == block_of.end() ? kUngrouped : block->second;
    auto candidate =
        wanted.blocks.empty() ? candidates.end() : std::ranges::find(candidates, name, &PrecisionCandidate::name);
    if (candidate == candidates.end())
      candidate = candidates.insert(candidates.end(), PrecisionCandidate{.name = std::move(name)});
    candidate->nodes.push_back(node->name);
  }
  return candidates;
}

}  // namespace preon
