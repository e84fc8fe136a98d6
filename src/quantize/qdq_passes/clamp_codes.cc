// clamp_codes: a Relu or Clip between a quantized operator and its codes clamps the codes instead.
//
// Before:      y = QuantizeLinear(Clip(f(DequantizeLinear(...)), a, b), s, z)
// After:       y = Clip(QuantizeLinear(f(DequantizeLinear(...)), s, z), q(a), q(b))
// Conditions:  8-bit codes of one scale that reach beyond the bounds (else the runtime drops the clamp itself); one
//              reader each of the operator's result and the clamp's.
// Formula:     q(v) = QuantizeLinear(v, s, z); rounding keeps order: q(min(max(x, a), b)) = min(max(q(x), q(a)), q(b))
// Why:         the runtime computes an operator in integers only where a QuantizeLinear stands right behind it.
#include <algorithm>

#include "ir/model_io.h"
#include "passes/support/rewrite.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int64_t kIntegerClipOpset = 12;

bool CanMove(const Graph& graph, const Node& clamp) {
  const std::optional<Range> bounds = ClampRange(graph, clamp);
  const Node* computes = graph.Producer(clamp.input(0));
  if (!bounds || computes == nullptr || graph.UseCount(clamp.input(0)) != 1) return false;
  if (!DequantizedFrom(graph, computes->input(0)) || computes->op_type == "QuantizeLinear") return false;
  if (OnlyQuantizer(graph, clamp.output()) == nullptr) return false;
  const std::optional<IntegerCodes> codes = IntegerCodesOf(graph, clamp.output());
  if (!codes || DataTypeBits(codes->format.type) != 8) return false;
  const Range reached = RepresentableRange(codes->params, codes->format);
  return reached.min < bounds->min || reached.max > bounds->max;
}

std::vector<Node*> ClampsToMove(const Graph& graph) {
  std::vector<Node*> clamps;
  for (const auto& node : graph.nodes()) {
    if (CanMove(graph, *node)) clamps.push_back(node.get());
  }
  return clamps;
}

Status Move(Graph& graph, Node& clamp) {
  Node& quantize = *OnlyQuantizer(graph, clamp.output());
  const Range bounds = *ClampRange(graph, clamp);
  const IntegerCodes codes = *IntegerCodesOf(graph, clamp.output());
  const Range reached = RepresentableRange(codes.params, codes.format);
  const std::string clamped = quantize.output(), all = graph.UniqueTensorName(clamped + "_all");
  graph.SetInput(&quantize, 0, clamp.input(0));
  graph.SetOutput(&quantize, 0, all);
  Become(graph, clamp, "Clip", {all}, {});
  graph.SetOutput(&clamp, 0, clamped);
  for (const size_t index : {size_t{1}, size_t{2}}) {
    const float bound = std::clamp(index == 1 ? bounds.min : bounds.max, reached.min, reached.max);
    PREON_ASSIGN_OR_RETURN(const EncodedTensor code,
                           EncodeTensor(Tensor::ScalarFloat(bound), {codes.params}, -1, codes.format));
    SetConstantInput(graph, clamp, index, code.codes, clamped + (index == 1 ? "_min" : "_max"));
  }
  return Status::Ok();
}

class ClampCodes final : public QdqPass {
 public:
  std::string_view name() const override { return "clamp_codes"; }
  std::string_view summary() const override {
    return "a Relu or Clip in front of 8-bit codes clamps the codes instead: the same values, and the operator in "
           "front of it runs in integers";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> clamps = ClampsToMove(model.graph);
    if (clamps.empty()) return Effect::kUnchanged;
    if (model.opset() < kIntegerClipOpset) {
      PREON_RETURN_IF_ERROR(ConvertOpset(model, kIntegerClipOpset));
      clamps = ClampsToMove(model.graph);
    }
    for (Node* clamp : clamps) PREON_RETURN_IF_ERROR(Move(model.graph, *clamp));
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeClampCodesPass() { return std::make_unique<ClampCodes>(); }

}  // namespace preon
