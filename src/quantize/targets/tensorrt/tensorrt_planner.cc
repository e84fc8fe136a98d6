// Placement for NVIDIA TensorRT, in four steps:
//
//   1. roles    every operator alone (tensorrt_layers.h), exclusions; then what becomes part of a layer's kernel
//               (fused_groups.h): no pair lies inside
//   2. codes    T starts as what layers read. Backwards: what a convolution adds joins, if the sum is in T; so does
//               what arithmetic and pools outside of these kernels read from them, if a tensor in T follows
//   3. scales   operands of a Concat in T take its scale, results of movers that of what they move: TensorRT then moves
//               codes, and computes nothing
//   4. plan     a pair for each tensor in T, codes for weights, biases stay float
//
// Nothing else has a pair: TensorRT moves Q backwards and DQ forwards across what commutes with them.
#include "quantize/targets/tensorrt/tensorrt_planner.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/str_cat.h"
#include "quantize/plan/check_plan.h"
#include "quantize/plan/macs.h"
#include "quantize/plan/op_traits.h"
#include "quantize/plan/passthrough.h"
#include "quantize/settings/node_selection.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/tensorrt/fused_groups.h"

namespace preon {
namespace {

class TensorrtPlanner {
 public:
  TensorrtPlanner(const Model& model, const PlanOptions& options)
      : graph_(model.graph),
        options_(options),
        selection_(options.exclude, options.op_list.selection.nodes),
        roles_(RolesOf()),
        groups_(graph_, roles_),
        plan_{.target = "tensorrt", .runs_on = "TensorRT", .compat = options.compat} {
    plan_.warnings = selection_.WithoutEffect(graph_);
  }

  Result<QuantPlan> Run() {
    for (const auto& node : graph_.nodes()) {
      if (RoleOf(*node) == TensorrtRole::kLayer) AddCodes(node->input(0));
    }
    FindWrittenByKernels();
    for (const auto& node : graph_.nodes() | std::views::reverse) GrowBackwards(*node);
    PlanActivations();
    PlanConstants();
    InheritRanges(graph_, options_.passthrough, options_.settings.overrides, &plan_);
    RecordDecisions();
    PREON_RETURN_IF_ERROR(CheckPlan(plan_));
    return std::move(plan_);
  }

 private:
  TensorrtRoles RolesOf() const {
    TensorrtRoles roles;
    for (const auto& node : graph_.nodes()) {
      TensorrtTraits traits = ClassifyForTensorrt(graph_, *node);
      if (const auto left = options_.left_float.find(node->name); left != options_.left_float.end())
        traits = {TensorrtRole::kFloat, left->second, std::string(LeftFloatDetail(left->second))};
      if (selection_.Excludes(*node)) traits = {TensorrtRole::kFloat, FloatReason::kExcluded, "excluded by the user"};
      roles.emplace(node.get(), std::move(traits));
    }
    return roles;
  }

  TensorrtRole RoleOf(const Node& node) const { return roles_.at(&node).role; }
  bool HasCodes(const std::string& tensor) const { return codes_.contains(tensor); }
  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }

  void AddCodes(const std::string& tensor) {
    const DataType type = graph_.TypeOf(tensor);
    if (!IsConstant(tensor) && (type == DataType::kFloat || type == DataType::kUndefined)) codes_.insert(tensor);
  }

  // --- Which tensors -------------------------------------------------------------------------------------------
  // Is it read as codes, as it is or behind movers?
  bool Leads(const Node& node) const {
    return std::ranges::any_of(
        node.outputs(), [&](const std::string& output) { return HasCodes(output) || leading_.contains(output); });
  }

  // Can INT8 kernels write it as codes?
  bool ComesFromKernel(const std::string& tensor) const { return written_by_kernels_.contains(tensor); }

  void FindWrittenByKernels() {
    written_by_kernels_ = codes_;
    for (const auto& node : graph_.nodes()) {
      const TensorrtRole role = RoleOf(*node);
      const bool computes = role == TensorrtRole::kPool || role == TensorrtRole::kMover ||
                            role == TensorrtRole::kConcat || role == TensorrtRole::kPointwise;
      if (groups_.Holds(*node) || (computes && AllFromKernels(*node)))
        written_by_kernels_.insert(node->outputs().begin(), node->outputs().end());
    }
  }

  bool AllFromKernels(const Node& node) const {
    const std::vector<std::string> operands = OperandsOf(node);
    return !operands.empty() &&
           std::ranges::all_of(operands, [&](const std::string& operand) { return ComesFromKernel(operand); });
  }

  // Data that are computed.
  std::vector<std::string> OperandsOf(const Node& node) const {
    const TensorrtRole role = RoleOf(node);
    if (role != TensorrtRole::kConcat && role != TensorrtRole::kPointwise) return {node.input(0)};
    std::vector<std::string> operands = node.inputs();
    std::erase_if(operands, [&](const std::string& input) { return input.empty() || IsConstant(input); });
    return operands;
  }

  // Visited behind all readers of its outputs.
  void GrowBackwards(const Node& node) {
    if (groups_.Holds(node)) return GrowInKernel(node);
    if (!Leads(node)) return;
    const TensorrtRole role = RoleOf(node);
    const bool has_codes = AllFromKernels(node);
    if (role == TensorrtRole::kMover || role == TensorrtRole::kConcat) {
      for (const std::string& operand : OperandsOf(node)) leading_.insert(operand);
    }
    if (role == TensorrtRole::kFloat || !has_codes) return;
    integer_.insert(&node);
    const bool computes = role == TensorrtRole::kPool || node.Is("MaxPool") || node.Is("Resize");
    if (computes) AddCodes(node.input(0));
    if (role == TensorrtRole::kPointwise) {
      for (const std::string& operand : OperandsOf(node)) AddCodesInFront(operand);
    }
  }

  // Of operators that no layer's kernel holds TensorRT makes kernels of their own: no pair lies inside of them, either.
  void AddCodesInFront(const std::string& operand) {
    const Node* producer = graph_.Producer(operand);
    const bool inside = producer != nullptr && RoleOf(*producer) == TensorrtRole::kPointwise &&
                        !groups_.Holds(*producer) && OnlyReader(graph_, operand) != nullptr;
    if (inside)
      leading_.insert(operand);
    else
      AddCodes(operand);
  }

  // A kernel writes codes, if some of what it computes is read as codes; what it adds is codes then, too: else it would
  // have to write floats.
  void GrowInKernel(const Node& node) {
    const Node* layer = groups_.LayerOf(node.output());
    if (Leads(node)) writing_codes_.insert(layer);
    const std::string* summand = groups_.SummandOf(node);
    if (summand != nullptr && writing_codes_.contains(layer)) AddCodes(*summand);
  }

  // --- Their scales --------------------------------------------------------------------------------------------
  // The tensor whose scale fits this one's values, or itself. A Concat goes first: it holds the values of all operands.
  std::string ScaleOwner(std::string tensor) const {
    while (!options_.settings.overrides.contains(tensor)) {
      const std::string next = NextOwner(tensor);
      if (next.empty()) break;
      tensor = next;
    }
    return tensor;
  }

  std::string NextOwner(const std::string& tensor) const {
    for (const Use& use : graph_.Uses(tensor)) {
      if (!use.captured && RoleOf(*use.node) == TensorrtRole::kConcat && HasCodes(use.node->output()))
        return use.node->output();
    }
    const Node* producer = graph_.Producer(tensor);
    const bool moved = producer != nullptr && RoleOf(*producer) == TensorrtRole::kMover;
    return moved && HasCodes(producer->input(0)) ? producer->input(0) : "";
  }

  // --- Plan ----------------------------------------------------------------------------------------------------
  void PlanActivations() {
    for (const std::string& tensor : codes_) {
      ActivationPlan activation{.format = {DataType::kInt8, true}, .scale_type = options_.scale_type};
      const auto own = options_.settings.overrides.find(tensor);
      if (own != options_.settings.overrides.end()) ApplyOverride(own->second, activation);
      if (const std::string owner = ScaleOwner(tensor); owner != tensor) activation.shares = owner;
      plan_.activations.emplace(tensor, std::move(activation));
    }
  }

  void PlanConstants() {
    for (const auto& node : graph_.nodes()) {
      if (RoleOf(*node) != TensorrtRole::kLayer) continue;
      AddWeight(*node);
      const std::string& bias = node->input(2);
      if (!bias.empty() && IsConstant(bias) && HasBiasOfChannels(graph_, *node))
        plan_.biases.push_back({node->name, bias, node->input(0), node->input(1), BiasForm::kFloat});
    }
  }

  void AddWeight(const Node& layer) {
    const WeightPlan wanted = WeightOf(layer);
    WeightPlan& weight = plan_.weights.try_emplace(layer.input(1), wanted).first->second;
    if (weight.axis != wanted.axis) weight.axis = -1;  // readers that need different axes share one scale
    weight.nodes.push_back(layer.name);
  }

  // As if no other layer read it.
  WeightPlan WeightOf(const Node& layer) const {
    const int axis = options_.per_channel ? TensorrtWeightAxis(graph_, layer) : -1;
    WeightPlan weight{.format = {DataType::kInt8, true, options_.op_list.reduce_range}};
    weight.form = options_.weight_form.value_or(WeightForm::kPacked);
    weight.scale_type = options_.scale_type_of_weights();
    weight.rule = options_.weight_rule;
    weight.axis = axis;
    const auto own = options_.settings.overrides.find(layer.input(1));
    if (own != options_.settings.overrides.end())
      ApplyOverride(own->second, {.channel = layer.Is("ConvTranspose") ? 1 : axis}, weight);
    return weight;
  }

  void RecordDecisions() {
    for (const auto& node : graph_.nodes()) {
      NodeDecision decision{node->name, node->op_type, FloatReason::kNone, "", NodeMacs(graph_, *node)};
      if (!groups_.Holds(*node) && !integer_.contains(node.get())) Explain(*node, decision);
      plan_.nodes.push_back(std::move(decision));
    }
  }

  void Explain(const Node& node, NodeDecision& decision) const {
    const TensorrtTraits& traits = roles_.at(&node);
    if (traits.role == TensorrtRole::kFloat) {
      decision.reason = traits.reason;
      decision.detail = traits.detail;
    } else if (!Leads(node)) {
      decision.reason = FloatReason::kTail;
      decision.detail = kTailDetail;
    } else {
      decision.reason = FloatReason::kNoGain;
      decision.detail = "one input is computed in float";
    }
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const Selection selection_;
  const TensorrtRoles roles_;
  const FusedGroups groups_;
  QuantPlan plan_;
  std::set<std::string> codes_;  // T
  std::set<std::string> written_by_kernels_;
  std::set<std::string> leading_;        // what movers and Concat carry to T
  std::set<const Node*> writing_codes_;  // layers whose kernels do
  std::set<const Node*> integer_;        // outside of kernels
};

Status NoZeroPoint(std::string_view option, std::string_view tensor) {
  return Error(ErrorId::kConflictingOptions, option, ": ", tensor,
               ": got a zero point, wanted symmetric codes: TensorRT has no zero points");
}

Status CheckSymmetric(const QuantPlan& plan) {
  const auto is_wrong = [](const IntFormat& format, const auto& params) {
    return !format.symmetric || (params && params->zero_point != 0);
  };
  for (const auto& [tensor, activation] : plan.activations) {
    if (is_wrong(activation.format, activation.params)) return NoZeroPoint("overrides", tensor);
  }
  for (const auto& [tensor, weight] : plan.weights) {
    const bool of_channels =
        std::ranges::any_of(weight.channel_params, [](const QuantParams& params) { return params.zero_point != 0; });
    if (of_channels || is_wrong(weight.format, weight.params)) return NoZeroPoint("overrides", tensor);
  }
  return Status::Ok();
}

// Scales that replace those of the plan. Codes of unsigned types are moved by half of their number before.
Status CheckGiven(const std::map<std::string, TensorOverride>& given, const QuantPlan& plan) {
  for (const auto& [tensor, wanted] : given) {
    if (!plan.activations.contains(tensor) && !plan.weights.contains(tensor)) continue;
    const DataType type = wanted.type->type();
    if (!IsIntType(type))
      return Error(ErrorId::kConflictingOptions, "--encodings: ", tensor, ": got type ", wanted.type->name(),
                   ", wanted an integer type: with --target tensorrt tensors have int8 codes");
    const bool is_signed = IntFormat{type}.q_min() < 0;
    const int64_t middle = is_signed ? 0 : int64_t{1} << (wanted.type->bits() - 1);
    const auto is_wrong = [&](const QuantParams& params) { return params.zero_point != middle; };
    if ((wanted.params && is_wrong(*wanted.params)) || std::ranges::any_of(wanted.channel_params, is_wrong))
      return NoZeroPoint("--encodings", tensor);
  }
  return Status::Ok();
}

}  // namespace

Result<QuantPlan> PlanForTensorrt(const Model& model, const PlanOptions& options) {
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, TensorrtPlanner(model, options).Run());
  PREON_RETURN_IF_ERROR(CheckSymmetric(plan));
  PREON_RETURN_IF_ERROR(CheckGiven(options.given_scales, plan));
  return plan;
}

}  // namespace preon
