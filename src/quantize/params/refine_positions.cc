#include "quantize/params/refine_positions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "quantize/params/position_problem.h"
#include "quantize/params/position_rules.h"
#include "quantize/params/solve_positions.h"

namespace preon {
namespace {

// The scales of a plan, by the tensor or constant that they belong to.
class PlannedScales final : public ScaleSource {
 public:
  PlannedScales(const Graph& graph, const QuantPlan& plan, PlanParams& params, const ParamsOfConstant& params_of)
      : graph_(graph), plan_(plan), params_(params), params_of_(params_of), integer_(IntegerNodes(plan)) {}

  std::optional<KeptScale> OfActivation(const std::string& tensor) override {
    const auto planned = plan_.activations.find(tensor);
    const ActivationParams* params = params_.Find(tensor);
    if (planned == plan_.activations.end() || params == nullptr || !planned->second.pair || !params->converts.empty() ||
        params->format.floating())
      return std::nullopt;
    return KeptScale{params->owner, params->params.scale};
  }

  Result<std::optional<KeptScale>> OfConstant(const std::string& constant, const Node& reader) override {
    const auto planned = plan_.weights.find(constant);
    if (planned == plan_.weights.end()) return std::optional<KeptScale>();
    const WeightPlan& weight = planned->second;
    const bool reads = std::ranges::find(weight.nodes, reader.name) != weight.nodes.end();
    if (!reads || weight.block || weight.axis >= 0 || weight.format.floating() || weight.form == WeightForm::kFolded)
      return std::optional<KeptScale>();
    const auto [known, fresh] = constants_.try_emplace(constant);
    if (fresh) {
      PREON_ASSIGN_OR_RETURN(const std::vector<QuantParams> params, params_of_(constant, weight));
      if (params.size() == 1) known->second = KeptScale{constant, params[0].scale};
    }
    return known->second;
  }

  std::optional<int> FinestPositionOf(const std::string& bias) const override {
    const Tensor* values = graph_.Initializer(bias);
    const auto planned = plan_.weights.find(bias);
    if (plan_.compat != Compat::kOff || planned == plan_.weights.end() || values->type() != DataType::kFloat)
      return std::nullopt;
    double largest = 0;
    for (const float value : values->floats()) largest = std::max(largest, std::fabs(double{value}));
    if (largest == 0 || !std::isfinite(largest)) return std::nullopt;
    return static_cast<int>(std::floor(std::log2(static_cast<double>(planned->second.format.q_max()) / largest)));
  }

  bool BecomesHardSigmoid(const Node& sigmoid) const override {
    return plan_.positions->sigmoid_is_hard && integer_.contains(sigmoid.name);
  }

 private:
  const Graph& graph_;
  const QuantPlan& plan_;
  PlanParams& params_;
  const ParamsOfConstant& params_of_;
  const std::set<std::string_view> integer_;
  std::map<std::string, std::optional<KeptScale>> constants_;
};

bool Overlap(const PositionBounds& a, const PositionBounds& b) {
  return a.lowest <= b.highest && b.lowest <= a.highest;
}

// Scales as they are from now on. A bias keeps its freedom inside the limits: corrections may change its values.
void Settle(const PositionProblem& problem, const QuantPlan& plan, PlanParams& params) {
  std::map<std::string_view, int> positions;
  for (size_t variable = 0; variable < problem.owners.size(); ++variable)
    positions[problem.owners[variable]] = problem.positions[variable];
  for (auto& [tensor, activation] : params.activations()) {
    const auto own = positions.find(activation.owner);
    if (own != positions.end() && activation.block == nullptr) activation.params.scale = std::ldexp(1.0f, -own->second);
  }
  std::map<std::string, PositionBounds> bounds;
  std::set<std::string> biases;
  for (const PositionedNode& node : problem.nodes) {
    if (!node.at.bias) continue;
    const std::string& bias = problem.owners[*node.at.bias];
    biases.insert(bias);
    const std::optional<PositionBounds> own = BoundsOfBias(node, problem.positions);
    if (!own || !plan.positions->bias || !plan.positions->moves) continue;
    const auto [known, fresh] = bounds.try_emplace(bias, *own);
    if (!fresh && Overlap(known->second, *own))
      known->second = {std::max(known->second.lowest, own->lowest), std::min(known->second.highest, own->highest)};
  }
  for (const auto& [owner, position] : positions) {
    if (plan.weights.contains(std::string(owner)) && !biases.contains(std::string(owner)))
      bounds[std::string(owner)] = {position, position};
  }
  for (const auto& [constant, of] : bounds) params.Bound(constant, of);
}

}  // namespace

Result<PositionTable> RefinePositions(const Graph& graph, const QuantPlan& plan, PlanParams& params,
                                      const ParamsOfConstant& params_of) {
  PlannedScales scales(graph, plan, params, params_of);
  PREON_ASSIGN_OR_RETURN(PositionProblem problem, MakePositionProblem(graph, scales));
  PositionTable table = SolvePositions(problem, *plan.positions);
  Settle(problem, plan, params);
  return table;
}

void UpdateBiases(const PlanParams& params, PositionTable& table) {
  for (PositionRow& row : table.rows) {
    const std::optional<int> used = row.after.bias ? params.UsedPosition(row.bias) : std::nullopt;
    if (!used) continue;
    for (NpuShift& shift : row.after.shifts) {
      if (shift.name == "bias") shift.value += *row.after.bias - *used;
    }
    row.after.bias = used;
  }
}

}  // namespace preon
