// clips_to_relu: a Clip from 0 whose upper bound the codes behind it keep becomes Relu.
//
// Before:      y = QuantizeLinear(Clip(x, 0, b), s, z)
// After:       y = QuantizeLinear(Relu(x), s, z)
// Conditions:  the largest value of the codes is at most b, half a step more or less; the plan has not left the node in
//              float. With --compat quark every quantized Clip from 0 or above, as in Quark, whatever its bound.
// Formula:     -
// Why:         Quark's ConvertClipToRelu: integer kernels have Relu built in. One warning per Clip from 0 that stays.
#include "passes/support/rewrite.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// Why the codes of the Clip's output don't do its upper bound's work; empty where they do.
std::string WhyBoundMatters(const Graph& graph, const std::string& output, const Range& bounds) {
  const std::optional<IntegerCodes> codes = IntegerCodesOf(graph, output);
  if (!codes) return "its output has no integer codes";
  const float largest = RepresentableRange(codes->params, codes->format).max;
  return largest <= bounds.max + codes->params.scale / 2 ? "" : StrCat("the codes of its output reach ", largest);
}

class ClipsToRelu final : public QdqPass {
 public:
  std::string_view name() const override { return "clips_to_relu"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertClipToRelu"}; }
  std::string_view summary() const override {
    return "Clip from 0 becomes Relu where the quantized range ends at its upper bound";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.clips_to_relu; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    Graph& graph = model.graph;
    std::set<std::string> in_float;
    for (const NodeDecision& decision : plan.nodes) {
      if (decision.reason != FloatReason::kNone) in_float.insert(decision.node);
    }
    const bool always = plan.compat == Compat::kQuark;
    Effect effect = Effect::kUnchanged;
    for (const auto& node : graph.nodes()) {
      if (!node->Is("Clip") || in_float.contains(node->name)) continue;
      const std::optional<Range> bounds = ClampRange(graph, *node);
      if (!bounds || bounds->min < 0 || (bounds->min > 0 && !always)) continue;
      const std::string why = always ? "" : WhyBoundMatters(graph, node->output(), *bounds);
      if (!why.empty()) {
        warnings.push_back(StrCat("ConvertClipToRelu: node '", node->name, "' stays a Clip: its upper bound is ",
                                  bounds->max, ", but ", why));
        continue;
      }
      Become(graph, *node, "Relu", {node->input(0)}, {});
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeClipsToReluPass() { return std::make_unique<ClipsToRelu>(); }

}  // namespace preon
