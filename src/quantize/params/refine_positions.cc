#include "quantize/params/refine_positions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "quantize/params/position_rules.h"

namespace preon {
namespace {

// Limits that contradict each other may move positions on and on: scales stay normal numbers of float32.
constexpr int kLargestPosition = 126;

std::optional<int> Value(const PositionIndex& index, const std::vector<int>& positions) {
  return index ? std::optional(positions[*index]) : std::nullopt;
}

NodePositions PositionsOf(const PositionedNode& node, const std::vector<int>& positions) {
  NodePositions of{.weight = Value(node.at.weight, positions),
                   .bias = Value(node.at.bias, positions),
                   .output = Value(node.at.output, positions)};
  for (const PositionIndex& input : node.at.inputs) of.inputs.push_back(Value(input, positions));
  for (const PositionRule& rule : PositionRules()) {
    if (!rule.applies(node)) continue;
    const std::vector<NpuShift> shifts = rule.measure(node, positions);
    of.shifts.insert(of.shifts.end(), shifts.begin(), shifts.end());
  }
  return of;
}

class Solver {
 public:
  Solver(PositionProblem& problem, const PositionLimits& limits, PositionTable& table)
      : problem_(problem), limits_(limits), table_(table), waiting_(PositionRules().size()) {
    for (size_t rule = 0; rule < waiting_.size(); ++rule) {
      for (size_t node = 0; node < problem.nodes.size(); ++node) {
        if (limits.*PositionRules()[rule].wanted && PositionRules()[rule].applies(problem.nodes[node]))
          waiting_[rule].insert(node);
      }
    }
    concerned_ = waiting_;
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      const PositionedNode& of = problem.nodes[node];
      for (const PositionIndex& input : of.at.inputs) AddReader(input, node);
      for (const PositionIndex& other : {of.at.weight, of.at.bias, of.at.output}) AddReader(other, node);
    }
  }

  void Run() {
    std::set<std::vector<int>> seen = {problem_.positions};
    bool changed = true;
    while (changed && table_.rounds < limits_.rounds) {
      changed = Round();
      ++table_.rounds;
      table_.moved = table_.moved || changed;
      if (!changed || seen.insert(problem_.positions).second) continue;
      for (const size_t node : moved_) table_.cycle.push_back(problem_.nodes[node].node->name);
      return;
    }
  }

 private:
  void AddReader(const PositionIndex& variable, size_t node) {
    if (variable) nodes_of_[*variable].insert(node);
  }

  bool Round() {
    moved_.clear();
    for (size_t rule = 0; rule < waiting_.size(); ++rule) {
      const std::set<size_t> nodes = std::exchange(waiting_[rule], {});
      for (const size_t node : nodes) {
        if (Apply(PositionRules()[rule], node)) moved_.insert(node);
      }
    }
    return !moved_.empty();
  }

  bool Apply(const PositionRule& rule, size_t index) {
    const PositionedNode& node = problem_.nodes[index];
    const std::vector<NpuShift> shifts = rule.measure(node, problem_.positions);
    if (std::ranges::all_of(shifts, &NpuShift::inside)) return false;
    const std::vector<int> before = problem_.positions;
    rule.correct(node, problem_.positions);
    for (int& position : problem_.positions) position = std::clamp(position, -kLargestPosition, kLargestPosition);
    for (size_t variable = 0; variable < before.size(); ++variable) {
      if (before[variable] == problem_.positions[variable]) continue;
      for (const size_t other : nodes_of_[variable]) {
        for (size_t waits = 0; waits < waiting_.size(); ++waits) {
          if (concerned_[waits].contains(other)) waiting_[waits].insert(other);
        }
      }
    }
    return before != problem_.positions;
  }

  PositionProblem& problem_;
  const PositionLimits& limits_;
  PositionTable& table_;
  std::vector<std::set<size_t>> waiting_, concerned_;  // nodes, by rule
  std::map<size_t, std::set<size_t>> nodes_of_;        // by variable
  std::set<size_t> moved_;                             // nodes of this round
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

void ListViolations(const PositionProblem& problem, const PositionLimits& limits, PositionTable& table) {
  for (const PositionedNode& node : problem.nodes) {
    for (const PositionRule& rule : PositionRules()) {
      if (!(limits.*rule.wanted) || !rule.applies(node)) continue;
      for (const NpuShift& shift : rule.measure(node, problem.positions)) {
        if (!shift.inside())
          table.violations.push_back(StrCat(node.node->op_type, " '", node.node->name, "': ", shift.name, " ",
                                            shift.value, " outside ", shift.lowest, "..", shift.highest));
      }
    }
  }
}

}  // namespace

Result<PositionTable> RefinePositions(const Graph& graph, const QuantPlan& plan, PlanParams& params,
                                      const ParamsOfConstant& params_of) {
  PREON_ASSIGN_OR_RETURN(PositionProblem problem, MakePositionProblem(graph, plan, params, params_of));
  PositionTable table;
  const std::vector<int> before = problem.positions;
  if (plan.positions->moves) Solver(problem, *plan.positions, table).Run();
  for (const PositionedNode& node : problem.nodes) {
    PositionRow row{.node = node.node->name,
                    .op = node.node->op_type,
                    .bias = node.at.bias ? problem.owners[*node.at.bias] : "",
                    .before = PositionsOf(node, before),
                    .after = PositionsOf(node, problem.positions)};
    if (!row.after.shifts.empty()) table.rows.push_back(std::move(row));
  }
  ListViolations(problem, *plan.positions, table);
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
