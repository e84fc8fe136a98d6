#include "quantize/qdq_passes/clips_to_min_max.h"

#include "passes/rewrite.h"

namespace preon {
namespace {

Node* ClipBehindFourBits(const Graph& graph, const Node& quantize) {
  if (quantize.op_type != "QuantizeLinear" || quantize.inputs().size() < 3) return nullptr;
  const DataType codes = graph.TypeOf(quantize.input(2));
  if (codes != DataType::kInt4 && codes != DataType::kUInt4) return nullptr;
  Node* producer = graph.Producer(quantize.input(0));
  return producer != nullptr && producer->Is("Clip") ? producer : nullptr;
}

void SpellOut(Graph& graph, Node* clip) {
  const auto bound = [&](size_t input) { return clip->inputs().size() > input ? clip->input(input) : ""; };
  const std::string value = clip->input(0), lowest = bound(1), highest = bound(2);
  if (lowest.empty() && highest.empty()) return;
  if (highest.empty()) return Become(graph, *clip, "Max", {value, lowest}, {});
  if (lowest.empty()) return Become(graph, *clip, "Min", {value, highest}, {});
  const std::string raised = graph.UniqueTensorName(clip->output() + "_raised");
  Node* max = graph.AddNode("Max", {value, lowest}, {raised}, clip->name + "_Max", "", clip);
  max->home = clip->home;
  Become(graph, *clip, "Min", {raised, highest}, {});
}

}  // namespace

void SpellOutClips(Graph& graph) {
  std::vector<Node*> clips;
  for (const auto& node : graph.nodes()) {
    if (Node* clip = ClipBehindFourBits(graph, *node)) clips.push_back(clip);
  }
  for (Node* clip : clips) {
    if (clip->Is("Clip")) SpellOut(graph, clip);  // of two readers the second finds it done
  }
}

}  // namespace preon
