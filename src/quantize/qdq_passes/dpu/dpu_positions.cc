// dpu_positions: scales that are powers of two move into the limits of an NPU's shifts.
//
// Before:      y = Conv(DequantizeLinear(x, 2^-5), DequantizeLinear(w, 2^-18)) → QuantizeLinear(y, 2^1)
// After:       the same with w at 2^-10: 10 + 5 - (-1) is a shift of 16 bits, the most that there is
// Conditions:  constant scales, one per tensor, powers of two.
// Formula:     those of docs/design/npu.md, Positions; codes of constants: c' = round half to even(c 2^(p' - p)), cut
//              to what their type holds
// Why:         Quark's adjust_quantize_info, its pass xint8_adjust, which keeps the codes and so multiplies the
//              weights.
#include <cmath>

#include "quantize/params/solve_positions.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/recode.h"

namespace preon {
namespace {

// The scales of a finished graph, by the constants that hold them.
class WrittenScales final : public ScaleSource {
 public:
  explicit WrittenScales(const Graph& graph) : graph_(graph) {}

  std::optional<KeptScale> OfActivation(const std::string& tensor) override {
    const Node* producer = graph_.Producer(tensor);
    if (producer != nullptr && producer->op_type == "DequantizeLinear") return Of(*producer);
    for (const Use& use : graph_.Uses(tensor)) {
      if (!use.captured && use.input == 0 && use.node->op_type == "QuantizeLinear") return Of(*use.node);
    }
    return std::nullopt;
  }
  Result<std::optional<KeptScale>> OfConstant(const std::string&, const Node&) override {
    return std::optional<KeptScale>();  // floats: codes are behind a DequantizeLinear
  }
  bool BecomesHardSigmoid(const Node&) const override { return false; }

 private:
  std::optional<KeptScale> Of(const Node& quantizer) const {
    const Tensor* scale = graph_.Initializer(quantizer.input(1));
    if (scale == nullptr || scale->type() != DataType::kFloat || scale->count() != 1) return std::nullopt;
    return KeptScale{quantizer.input(1), scale->floats()[0]};
  }

  const Graph& graph_;
};

class DpuPositions final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_positions"; }
  std::vector<std::string_view> aliases() const override { return {"xint8_adjust"}; }
  std::string_view summary() const override {
    return "scales that are powers of two move until the NPU can shift between them; constants are rounded again";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    Graph& graph = model.graph;
    WrittenScales scales(graph);
    PREON_ASSIGN_OR_RETURN(PositionProblem problem, MakePositionProblem(graph, scales));
    const std::vector<int> before = problem.positions;
    const PositionTable table = SolvePositions(problem, plan.positions.value_or(PositionLimits{}));
    for (const std::string& violation : table.violations)
      warnings.push_back(StrCat("the NPU can't shift as far as this node needs: ", violation));
    Effect effect = Effect::kUnchanged;
    for (size_t variable = 0; variable < before.size(); ++variable) {
      if (problem.positions[variable] == before[variable]) continue;
      Move(graph, problem.owners[variable], before[variable], problem.positions[variable]);
      effect = Effect::kChanged;
    }
    return effect;
  }

 private:
  static void Move(Graph& graph, const std::string& scale, int from, int to) {
    const float value = std::ldexp(1.0f, -to);
    graph.SetInitializer(scale, Tensor::FromFloats(graph.Initializer(scale)->shape(), {&value, 1}));
    for (const Use& use : graph.Uses(scale)) {
      const std::string& codes = use.node->input(0);
      const Tensor* constant = graph.Initializer(codes);
      if (use.node->op_type != "DequantizeLinear" || constant == nullptr) continue;
      std::optional<Tensor> shifted = Recoded(*constant, [&](size_t) { return std::ldexp(1.0, to - from); });
      if (!shifted) continue;
      const std::string kept = graph.UseCount(codes) == 1 ? codes : graph.UniqueTensorName(codes);
      graph.SetInitializer(kept, *std::move(shifted));
      graph.SetInput(use.node, 0, kept);
    }
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuPositionsPass() { return std::make_unique<DpuPositions>(); }

}  // namespace preon
