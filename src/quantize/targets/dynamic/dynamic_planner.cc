#include "quantize/targets/dynamic/dynamic_planner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "base/text.h"
#include "ir/sub_graphs.h"
#include "quantize/plan/check_plan.h"
#include "quantize/plan/outer_constants.h"
#include "quantize/settings/node_selection.h"
#include "quantize/targets/dynamic_kernels.h"

namespace preon {
namespace {

constexpr std::array kDynamicOps = {"MatMul", "LSTM", "Gather", "Attention", "EmbedLayerNormalization"};

class DynamicPlanner {
 public:
  DynamicPlanner(const Model& model, const PlanOptions& options)
      : model_(model),
        graph_(model.graph),
        options_(options),
        selection_(options.exclude, options.op_list.selection.nodes),
        kernels_(graph_, options.weight_codes(), options.settings.overrides, options.compat),
        as_others_(options.compat != Compat::kOff) {
    plan_.target = "dynamic";
    plan_.compat = options.compat;
    plan_.warnings = selection_.WithoutEffect(graph_);
  }

  Result<QuantPlan> Run() {
    PREON_RETURN_IF_ERROR(PlanBodies());
    Decide(/*keep_small=*/false);
    if (!plan_.is_dynamic() && small_ > 0) {
      plan_.nodes.clear();
      Decide(/*keep_small=*/true);
      plan_.warnings.emplace_back("all nodes with weights are small: quantizing them saves memory but little time");
    }
    PREON_RETURN_IF_ERROR(CheckPlan(plan_));
    return std::move(plan_);
  }

 private:
  // Bodies of Loop and Scan: weights in there are worth as much as others, also those that lie outside.
  Status PlanBodies() {
    if (as_others_ && !options_.op_list.selection.sub_graphs) return Status::Ok();
    const bool has_bodies = std::ranges::any_of(graph_.nodes(), [](const auto& node) { return node->HasSubgraph(); });
    if (!has_bodies) return Status::Ok();
    for (const auto& node : graph_.nodes())
      for (const std::string& input : node->inputs())
        if (node->HasSubgraph()) AddFloatRead(input);
    Model copy = model_;
    const auto plan_body = [&](Model& body) -> Status {
      const OuterConstants constants(graph_, body.graph);
      DynamicPlanner planner(body, options_);
      PREON_RETURN_IF_ERROR(planner.PlanBodies());
      planner.Decide(/*keep_small=*/false);
      QuantPlan& plan = plan_.bodies.emplace_back(std::move(planner.plan_));
      for (const std::string& outer : body.graph.inputs())
        if (!body.graph.Uses(outer).empty()) AddFloatRead(outer);
      for (const auto& [own, outer] : constants.outer_names())
        if (ReadsInFloat(body.graph, own, plan.dynamic)) AddFloatRead(outer);
      plan_.dynamic.in_bodies += static_cast<int>(plan.dynamic.nodes.size()) + plan.dynamic.in_bodies;
      return CheckPlan(plan);
    };
    PREON_RETURN_IF_ERROR(EditSubGraphs(copy, plan_body));
    if (plan_.dynamic.in_bodies > 0) {
      plan_.warnings.push_back(
          StrCat(plan_.dynamic.in_bodies,
                 " nodes in bodies of Loop and Scan also compute in integers; the report does not list them"));
    }
    return Status::Ok();
  }

  // Passes give each reader a copy, which has the values of the first one.
  void AddFloatRead(const std::string& tensor) {
    if (const Tensor* constant = graph_.Initializer(tensor)) read_in_float_.insert(constant->bytes().data());
  }

  static bool ReadsInFloat(const Graph& body, const std::string& constant, const DynamicPlan& plan) {
    const std::vector<Use> uses = body.Uses(constant);
    return !plan.weights.contains(constant) || std::ranges::any_of(uses, [&](const Use& use) {
      return use.captured || !Contains(plan.nodes, use.node->name);
    });
  }

  // A sub-graph keeps the floats of a constant in the file, and codes beside them would only make it larger.
  bool SharesWithSubgraph(const Node& node) const {
    if (read_in_float_.empty()) return false;
    DynamicPlan plan;
    kernels_.Add(node, plan);
    return std::ranges::any_of(plan.weights, [&](const auto& weight) {
      return read_in_float_.contains(graph_.Initializer(weight.first)->bytes().data());
    });
  }

  void Decide(bool keep_small) {
    for (const auto& node : graph_.nodes()) {
      KernelVerdict verdict = Judge(*node);
      if (verdict.reason == FloatReason::kNone && !as_others_ && kernels_.IsSmall(*node)) {
        ++small_;
        if (!keep_small) verdict = kTooSmallForDynamic;
      }
      NodeDecision& decision = plan_.nodes.emplace_back(
          NodeDecision{node->name, node->op_type, verdict.reason, std::string(verdict.detail), kernels_.Macs(*node)});
      decision.dynamic = verdict.reason == FloatReason::kNone;
      if (decision.dynamic) kernels_.Add(*node, plan_.dynamic);
    }
  }

  KernelVerdict Judge(const Node& node) const {
    const KernelVerdict verdict = kernels_.Judge(node);
    if (verdict.reason == FloatReason::kNoKernel) return verdict;
    if (selection_.Excludes(node)) return {FloatReason::kExcluded, "excluded by the user"};
    if (const auto left = options_.left_float.find(node.name); left != options_.left_float.end())
      return {left->second, LeftFloatDetail(left->second)};
    if (!IsWanted(node)) return {FloatReason::kExcluded, "not among the nodes to quantize"};
    const bool in_branch = node.IsInBranch();
    if (as_others_ && in_branch && !options_.op_list.selection.sub_graphs)
      return {FloatReason::kSubgraph, "inside a branch of an If, which other tools do not quantize"};
    if (node.Is("Conv") && !IsConvAskedFor())
      return {FloatReason::kNoGain, "the runtime's convolution with scales computed in each run is slower than float"};
    if (verdict.reason == FloatReason::kNone && SharesWithSubgraph(node))
      return {FloatReason::kSubgraph,
              "a sub-graph (Loop, Scan, If) reads its weight in float: codes in addition would "
              "make the file larger"};
    return verdict;
  }

  // By operator type and name, as the user chose them.
  bool IsWanted(const Node& node) const {
    const SelectionOptions& wanted = options_.op_list.selection;
    // What is left of a Gemm here was written as one.
    const auto asked = [&](const std::vector<std::string>& types) {
      return Contains(types, node.op_type) || (node.Is("MatMul") && Contains(types, "Gemm"));
    };
    const bool by_default = Contains(kDynamicOps, node.op_type) || (as_others_ && node.Is("Conv"));
    const bool type = wanted.all_op_types || asked(wanted.extra_op_types) ||
                      (wanted.op_types.empty() ? by_default || node.Is("Conv") : asked(wanted.op_types));
    const auto named = [&](const std::string& name) { return Contains(wanted.nodes, name); };
    return type && (wanted.nodes.empty() || named(node.name) || std::ranges::any_of(node.origins, named));
  }

  bool IsConvAskedFor() const {
    const SelectionOptions& wanted = options_.op_list.selection;
    return as_others_ || wanted.all_op_types || Contains(wanted.extra_op_types, "Conv") ||
           Contains(wanted.op_types, "Conv");
  }

  const Model& model_;
  const Graph& graph_;
  const PlanOptions& options_;
  const Selection selection_;
  const DynamicKernels kernels_;
  const bool as_others_;  // as other tools place it
  QuantPlan plan_;
  int small_ = 0;
  std::set<const std::byte*> read_in_float_;  // values of constants
};

}  // namespace

Result<QuantPlan> PlanDynamic(const Model& model, const PlanOptions& options) {
  return DynamicPlanner(model, options).Run();
}

}  // namespace preon
