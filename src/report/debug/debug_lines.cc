#include "report/debug/debug_lines.h"

#include <algorithm>
#include <iterator>

#include "base/spelling.h"
#include "quantize/plan/plan_types.h"
#include "report/found_text.h"
#include "report/placement_text.h"
#include "report/text_writer.h"

namespace preon {
namespace {

std::string LineOf(const MethodCandidate& candidate) {
  const std::string outcome = OutcomeOf(candidate);
  const std::string_view between = outcome.empty() ? "" : outcome.starts_with('(') ? " " : ", ";
  return StrCat("method ", candidate.method, candidate.options.empty() ? "" : StrCat(" (", candidate.options, ")"),
                ": SQNR ", SqnrText(candidate.sqnr_db), between, outcome);
}

std::string LineOf(const FallbackTrial& trial) {
  return StrCat("tried in float: ", JoinNames(trial.nodes), ": SQNR ", SqnrText(trial.sqnr_db), ", ",
                FigureText(trial.cost, "%+.1f %% of the time", 100), " (estimated), ",
                trial.kept   ? "kept"
                : trial.slow ? "not kept: measured, it costs more"
                             : "not kept");
}

std::string Named(std::string_view node, std::string_view op) { return StrCat("node ", node, " (", op, "): "); }

std::string LineOf(const FloatNode& node, bool between_quantizers) {
  const std::string how = between_quantizers && HasQuantizers(node.reason)
                              ? "between quantizers, computes in float"
                              : "float, " + ReasonText(node.reason, node.detail);
  const std::string stored = node.weights.empty()       ? ""
                             : node.weights_why.empty() ? StrCat("; weights as ", node.weights)
                                                        : StrCat("; weights as ", node.weights, ": ", node.weights_why);
  return StrCat(Named(node.node, node.op), how, WorkText(node.macs_share), stored);
}

// "uint8, scale 0.0125, zero point 3, range -0.0375 to 3.15". Blocks have exponents instead, steps of floating codes
// grow with them.
std::string CodesText(const IntFormat& format, const BlockPlan* block, const QuantParams& params) {
  const std::string type = TypeOf(format, block).name();
  if (block != nullptr) return type;
  const std::string scaled = StrCat(type, ", scale ", FigureText(params.scale, "%.7g"));
  if (format.floating()) return scaled;
  const Range range = RepresentableRange(params, format);
  return StrCat(scaled, ", zero point ", params.zero_point, ", range ", FigureText(range.min, "%.7g"), " to ",
                FigureText(range.max, "%.7g"));
}

std::string LineOf(const std::string& weight, const WeightPlan& plan) {
  const BlockPlan* const block = plan.block ? &*plan.block : nullptr;
  const std::string scales = block != nullptr ? ""
                             : plan.axis < 0  ? ", one scale"
                             : plan.block_size == 0
                                 ? StrCat(", a scale per index of axis ", plan.axis)
                                 : StrCat(", a scale per ", plan.block_size, " values along axis ", plan.axis);
  return StrCat("weight ", weight, ": ", TypeOf(plan.format, block).name(), scales,
                plan.nodes.empty() ? "" : StrCat(", read by ", JoinNames(plan.nodes)));
}

void AddLinesOf(const std::string& tensor, const ActivationParams& params, std::vector<std::string>& lines) {
  const bool shares = params.block == nullptr && params.owner != tensor && params.owner != tensor + kAddedSuffix;
  lines.push_back(StrCat("tensor ", tensor, ": ", CodesText(params.format, params.block, params.params),
                         shares ? StrCat(", shared with ", params.owner) : ""));
  for (size_t index = 0; index < params.converts.size(); ++index) {
    const ConvertPlan& second = params.converts[index];
    const std::vector<std::string> readers(second.nodes.begin(), second.nodes.end());
    lines.push_back(StrCat("tensor ", tensor, ", second pair for ",
                           readers.empty() ? "all readers" : JoinNames(readers), ": ",
                           CodesText(second.format, second.block ? &*second.block : nullptr, params.converted[index])));
  }
}

}  // namespace

std::vector<std::string> LinesOfTrials(const std::vector<MethodCandidate>& candidates,
                                       const AccuracyFallback& fallback) {
  std::vector<std::string> lines;
  for (const MethodCandidate& candidate : candidates) lines.push_back(LineOf(candidate));
  for (const FallbackTrial& trial : fallback.trials) lines.push_back(LineOf(trial));
  if (!fallback.why_none.empty()) lines.push_back(StrCat("no layers were tried in float: ", fallback.why_none));
  return lines;
}

std::vector<std::string> LinesOfImproved(const std::vector<ImprovedCodes>& improved) {
  std::vector<std::string> lines;
  for (const ImprovedCodes& by : improved) lines.push_back(StrCat("algorithm ", by.algorithm, ": ", OutcomeOf(by)));
  return lines;
}

std::vector<std::string> LinesOfNodes(const Placement& placement, bool computes_in_float) {
  std::vector<std::string> lines;
  for (const IntegerNode& node : placement.integer)
    lines.push_back(StrCat(Named(node.node, node.op), "integer, by ", node.kernel, WorkText(node.macs_share)));
  const bool between_quantizers = computes_in_float && placement.runs_on.empty();
  for (const FloatNode& node : placement.float_nodes) lines.push_back(LineOf(node, between_quantizers));
  return lines;
}

std::vector<std::string> LinesOfWeights(const QuantPlan& plan) {
  std::vector<std::string> lines;
  for (const auto* weights : {&plan.weights, &plan.dynamic.weights}) {
    for (const auto& [weight, planned] : *weights) lines.push_back(LineOf(weight, planned));
  }
  for (const QuantPlan& body : plan.bodies) std::ranges::move(LinesOfWeights(body), std::back_inserter(lines));
  return lines;
}

std::vector<std::string> LinesOfActivations(const QuantPlan& plan, const PlanParams& params) {
  std::vector<std::string> lines;
  for (const auto& [tensor, activation] : params.activations()) {
    const auto planned = plan.activations.find(tensor);
    if (planned == plan.activations.end() || planned->second.pair) AddLinesOf(tensor, activation, lines);
  }
  return lines;
}

}  // namespace preon
