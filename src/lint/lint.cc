#include "lint/lint.h"

#include <algorithm>

#include "lint/lint_rules.h"
#include "quantize/plan/estimated_time.h"
#include "quantize/plan/macs.h"

namespace preon {
namespace {

// Kernels for int8 activations take 0.8 of float's time where those for uint8 take 0.27 (docs/design/placement.md): the
// share of what integers save that int8 activations lose.
constexpr double kLostWithSignedActivations = 0.73;

// Told by the model itself. Nothing is estimated: quantizing the node would undo what was chosen.
constexpr LintRule kLeftInFloat{.name = "left_in_float", .gains_nothing = true};

class Linter {
 public:
  Linter(const Graph& quantized, const std::map<std::string, ObservedKernel>& kernels,
         const std::map<std::string, std::string>& left_in_float)
      : graph_(quantized), floats_(WithoutPairs(quantized)), kernels_(kernels), left_in_float_(left_in_float) {}

  LintReport Run() {
    for (const auto& node : graph_.nodes()) all_macs_ += Macs(*node);
    QuantPlan plan;
    for (const auto& node : graph_.nodes()) {
      const auto found = kernels_.find(node->name);
      if (found == kernels_.end() || found->second.kernel_class == KernelClass::kAbsorbed) continue;
      const bool in_float = found->second.kernel_class == KernelClass::kFloat;
      if (in_float && !WorksOnFloats(floats_, *floats_.FindNode(node->name))) continue;
      ++(in_float ? report_.float_nodes : report_.integer_nodes);
      if (!in_float) report_.integer_macs_share += Share(*node);
      plan.nodes.push_back({node->name, node->op_type, in_float ? FloatReason::kNoKernel : FloatReason::kNone});
      Judge(*node, found->second);
    }
    Estimate(EstimatedNs(floats_, plan));
    return std::move(report_);
  }

 private:
  double Macs(const Node& node) const { return NodeMacs(floats_, *floats_.FindNode(node.name)); }
  double Share(const Node& node) const { return all_macs_ > 0 ? Macs(node) / all_macs_ : 0; }

  void Judge(const Node& node, const ObservedKernel& kernel) {
    const Node& in_float = *floats_.FindNode(node.name);
    const NodeInContext at{graph_, floats_, node, in_float, ClassifyForOrtCpu(floats_, in_float)};
    const auto left = left_in_float_.find(node.output());
    if (kernel.kernel_class == KernelClass::kFloat && left != left_in_float_.end()) {
      Add(kLeftInFloat, node, kernel,
          StrCat("left in float on purpose when the model was quantized (", left->second, ")"));
    } else if (kernel.kernel_class == KernelClass::kFloat) {
      for (const LintRule& rule : LintRules()) {
        if (const auto detail = rule.explain(at)) return Add(rule, node, kernel, *detail);
      }
    } else if (kernel.kernel_class == KernelClass::kInteger && at.is_linear()) {
      const LintRule& rule = RuleNamed("signed_activations");
      if (const auto detail = rule.explain(at)) Add(rule, node, kernel, *detail);
    } else if (kernel.kernel_class == KernelClass::kInteger && node.Is("ConvInteger")) {
      const LintRule& rule = RuleNamed("run_time_scales");
      Add(rule, node, kernel, *rule.explain(at));
    }
  }

  void Add(const LintRule& rule, const Node& node, const ObservedKernel& kernel, const std::string& detail) {
    auto finding = std::ranges::find(report_.findings, rule.name, &LintFinding::rule);
    if (finding == report_.findings.end()) {
      report_.findings.push_back({std::string(rule.name), std::string(rule.advice), std::string(rule.pass), {}, {}});
      finding = report_.findings.end() - 1;
    }
    if (finding->advice.empty()) finding->advice = rule.advice;
    finding->nodes.push_back({node.name, node.op_type, kernel.kernel, detail, Share(node)});
    if (rule.gains_nothing) return;
    const bool in_float = kernel.kernel_class == KernelClass::kFloat;
    saved_ns_[finding->rule] +=
        SavedNs(floats_, *floats_.FindNode(node.name)) * (in_float ? 1 : kLostWithSignedActivations);
  }

  void Estimate(double now_ns) {
    for (LintFinding& finding : report_.findings) {
      const auto saved = saved_ns_.find(finding.rule);
      if (saved != saved_ns_.end() && saved->second > 0 && saved->second < now_ns)
        finding.speedup = now_ns / (now_ns - saved->second);
    }
    std::ranges::stable_sort(report_.findings, std::ranges::greater(),
                             [](const LintFinding& finding) { return finding.speedup.value_or(0); });
  }

  const Graph& graph_;
  const Graph floats_;
  const std::map<std::string, ObservedKernel>& kernels_;
  const std::map<std::string, std::string>& left_in_float_;
  LintReport report_;
  double all_macs_ = 0;
  std::map<std::string, double> saved_ns_;  // by rule
};

}  // namespace

LintReport Lint(const Graph& quantized, const std::map<std::string, ObservedKernel>& kernels,
                const std::map<std::string, std::string>& left_in_float) {
  return Linter(quantized, kernels, left_in_float).Run();
}

}  // namespace preon
