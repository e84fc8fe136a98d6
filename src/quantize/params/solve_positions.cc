#include "quantize/params/solve_positions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/str_cat.h"
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

std::vector<size_t> VariablesOf(const PositionedNode& node) {
  std::vector<size_t> variables;
  const auto add = [&](const PositionIndex& variable) {
    if (variable) variables.push_back(*variable);
  };
  for (const PositionIndex& input : node.at.inputs) add(input);
  for (const PositionIndex& other : {node.at.weight, node.at.bias, node.at.output}) add(other);
  return variables;
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
      for (const size_t variable : VariablesOf(problem.nodes[node])) nodes_of_[variable].insert(node);
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

  // A rule moves positions of its node alone.
  bool Apply(const PositionRule& rule, size_t index) {
    const PositionedNode& node = problem_.nodes[index];
    const std::vector<NpuShift> shifts = rule.measure(node, problem_.positions);
    if (std::ranges::all_of(shifts, &NpuShift::inside)) return false;
    std::map<size_t, int> before;  // by variable
    for (const size_t variable : VariablesOf(node)) before[variable] = problem_.positions[variable];
    rule.correct(node, problem_.positions);
    bool moved = false;
    for (const auto& [variable, position] : before) {
      int& now = problem_.positions[variable];
      now = std::clamp(now, -kLargestPosition, kLargestPosition);
      if (now == position) continue;
      moved = true;
      for (const size_t other : nodes_of_[variable]) {
        for (size_t waits = 0; waits < waiting_.size(); ++waits) {
          if (concerned_[waits].contains(other)) waiting_[waits].insert(other);
        }
      }
    }
    return moved;
  }

  PositionProblem& problem_;
  const PositionLimits& limits_;
  PositionTable& table_;
  std::vector<std::set<size_t>> waiting_, concerned_;  // nodes, by rule
  std::map<size_t, std::set<size_t>> nodes_of_;        // by variable
  std::set<size_t> moved_;                             // nodes of this round
};

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

PositionTable SolvePositions(PositionProblem& problem, const PositionLimits& limits) {
  PositionTable table;
  const std::vector<int> before = problem.positions;
  if (limits.moves) Solver(problem, limits, table).Run();
  for (const PositionedNode& node : problem.nodes) {
    PositionRow row{.node = node.node->name,
                    .op = node.node->op_type,
                    .bias = node.at.bias ? problem.owners[*node.at.bias] : "",
                    .before = PositionsOf(node, before),
                    .after = PositionsOf(node, problem.positions)};
    if (!row.after.shifts.empty()) table.rows.push_back(std::move(row));
  }
  ListViolations(problem, limits, table);
  return table;
}

}  // namespace preon
