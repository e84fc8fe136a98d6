// clips_to_min_max: a Clip in front of 4-bit codes becomes Max and Min.
//
// Before:      y = QuantizeLinear(Clip(x, a, b), s, z: int4 or uint4)
// After:       y = QuantizeLinear(Min(Max(x, a), b), s, z)
// Conditions:  the Clip has a bound; of one that is missing, the operator is left out.
// Formula:     -
// Why:         ONNX Runtime (1.30) merges Clip into QuantizeLinear at optimization level "basic", knows no zero points
//              of 4 bits there, and does not load the model.
#include "passes/rewrite.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

Node* ClipBehindFourBits(const Graph& graph, const Node& quantize) {
  if (quantize.op_type != "QuantizeLinear" || quantize.inputs().size() < 3) return nullptr;
  const DataType codes = graph.TypeOf(quantize.input(2));
  if (codes != DataType::kInt4 && codes != DataType::kUInt4) return nullptr;
  Node* producer = graph.Producer(quantize.input(0));
  return producer != nullptr && producer->Is("Clip") ? producer : nullptr;
}

bool Replace(Graph& graph, Node* clip) {
  const auto bound = [&](size_t input) { return clip->inputs().size() > input ? clip->input(input) : ""; };
  const std::string value = clip->input(0), lowest = bound(1), highest = bound(2);
  if (lowest.empty() && highest.empty()) return false;
  if (highest.empty()) {
    Become(graph, *clip, "Max", {value, lowest}, {});
    return true;
  }
  if (lowest.empty()) {
    Become(graph, *clip, "Min", {value, highest}, {});
    return true;
  }
  const std::string raised = graph.UniqueTensorName(clip->output() + "_raised");
  Node* max = graph.AddNode("Max", {value, lowest}, {raised}, clip->name + "_Max", "", clip);
  max->home = clip->home;
  Become(graph, *clip, "Min", {raised, highest}, {});
  return true;
}

class ClipsToMinMax final : public QdqPass {
 public:
  std::string_view name() const override { return "clips_to_min_max"; }
  std::string_view summary() const override { return "Clip in front of 4-bit codes becomes Max and Min"; }
  bool WantedBy(const QuantPlan&) const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> clips;
    for (const auto& node : model.graph.nodes()) {
      if (Node* clip = ClipBehindFourBits(model.graph, *node)) clips.push_back(clip);
    }
    bool changed = false;
    for (Node* clip : clips) {
      if (clip->Is("Clip")) changed = Replace(model.graph, clip) || changed;  // of two readers the second finds it done
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeClipsToMinMaxPass() { return std::make_unique<ClipsToMinMax>(); }

}  // namespace preon
