#include "quantize/targets/op_list/op_list_planner.h"

#include <algorithm>

#include "quantize/plan/check_plan.h"
#include "quantize/plan/op_traits.h"
#include "quantize/plan/passthrough.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/op_list/alignments.h"
#include "quantize/targets/op_list/block_axes.h"
#include "quantize/targets/op_list/op_list_forms.h"
#include "quantize/targets/op_list/op_list_marker.h"
#include "quantize/targets/op_list/op_list_names.h"
#include "quantize/targets/op_list/plan_bodies.h"
#include "quantize/targets/op_list/precision_borders.h"

namespace preon {
namespace {

// The type of the options. Blocks: along axis 1, that of channels; constants of rank 0 and 1 have one axis.
template <typename Plan>
void SetTypeOf(const TensorType& type, bool symmetric, Plan& plan) {
  plan.format = {type.type(), symmetric, false, type.code_bits()};
  if (type.block() != nullptr) plan.block = BlockPlan{*type.block()};
}

// Values that are rounded to a format as they are.
template <typename Plan>
void LeaveUnscaled(bool scaled, Plan& plan) {
  if (!scaled && IsHalf(plan.format.type) && !plan.params) plan.params = QuantParams{1, 0};
}

class OpListPlanner {
 public:
  OpListPlanner(const Model& model, const PlanOptions& options, const OpListRules& rules)
      : model_(model), graph_(model.graph), options_(options), rules_(rules) {}

  Result<QuantPlan> Run() {
    marks_ = MarkTensors(model_,
                         {.op_list = options_.op_list,
                          .exclude = options_.exclude,
                          .left_float = options_.left_float,
                          .overrides = options_.settings.overrides,
                          .symmetric = rules_.Symmetric(options_.activation, options_.activation_symmetric),
                          .compat = options_.compat},
                         rules_);
    SetFacts();
    PlanActivations();
    if (options_.op_list.pairs.dual) PREON_RETURN_IF_ERROR(PlanPrecisionBorders());
    PlanWeights();
    for (const BiasMark& bias : marks_.biases) PlanBias(bias);
    KeepActivationsExact(graph_, rules_.guards_float_regions && !options_.weight_form, &plan_);
    if (rules_.guards_float_regions) GuardFloatRegions(graph_, &plan_);
    if (options_.bfloat16.vaiml) KeepInputCastsOnly();
    if (options_.blocks.refine_axis && !KeepsBlockAxes(options_.MixesAsQuark(), options_.activation, options_.weight))
      RefineBlockAxes(graph_, &plan_);
    InheritRanges(graph_, options_.passthrough, options_.settings.overrides, &plan_);
    if (rules_.AlignsScales(options_.compat)) PlanAlignments(graph_, options_.op_list.align, &plan_);
    DropUnusedPairs();
    PREON_RETURN_IF_ERROR(CheckPlan(plan_));
    if (!rules_.guards_float_regions) PREON_RETURN_IF_ERROR(CheckConvolutions(graph_, plan_));
    WarnOfUnknownTypes(graph_, options_.op_list.OperatorTypes(), &plan_.warnings);
    PREON_RETURN_IF_ERROR(
        CheckChannelAxes(graph_, options_.op_list.pairs.channel_axis, rules_.handlers, &plan_.warnings));
    if (rules_.per_channel_is_symmetric && options_.per_channel && options_.weight_symmetric == false)
      plan_.warnings.push_back(
          "WeightSymmetric=false: has no effect on weights with a scale per channel: their zero point is always the "
          "middle code");
    return std::move(plan_);
  }

 private:
  void SetFacts() {
    plan_.target = rules_.target;
    plan_.operators = rules_.operators;
    plan_.bfloat16 = options_.bfloat16;
    plan_.compat = options_.compat;
    const auto sets_type = [](const LayerOverride& layer) { return layer.input && layer.input->type; };
    plan_.mixes_types = std::ranges::any_of(options_.possible.layers, sets_type);
    plan_.nodes = std::move(marks_.nodes);
    plan_.warnings = std::move(marks_.warnings);
    plan_.folded_clamps = std::move(marks_.folded);
    plan_.dequantize_for_all_readers = !rules_.operands_alone;
    if (rules_.extended || options_.op_list.pairs.contrib_domain ||
        (model_.opset() < 21 &&
         (HasIntegersOf({4, 16}, options_.Types()) || (options_.op_list.bias.int16 && !rules_.has_positions))))
      plan_.domain = DomainOfChanges(options_.MixesAsQuark(), options_.activation, options_.weight);
    if (options_.op_list.pairs.unsigned_relu && options_.compat == Compat::kQuark)
      plan_.warnings.push_back("UseUnsignedReLU: has no effect with --compat quark: no quantizer of Quark reads it");
    plan_.dedicated_dequantize = options_.op_list.pairs.dedicated_dequantize;
    plan_.int16_biases = options_.op_list.bias.int16;
    plan_.clips_to_relu = options_.op_list.pairs.clips_to_relu;
    plan_.beta_in_codes = rules_.extended;
    plan_.improves_ranges = rules_.improves_ranges;
    plan_.min_real_range = options_.op_list.min_real_range;
    rules_.SetNpuFacts(options_.op_list.align, options_.op_list.shifts, options_.op_list.dpu, &plan_);
  }

  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }
  const TensorOverride* OverrideOf(const std::string& tensor) const {
    const auto own = options_.settings.overrides.find(tensor);
    return own == options_.settings.overrides.end() ? nullptr : &own->second;
  }
  // --- Activations ---------------------------------------------------------------------------------------------
  void PlanActivations() {
    for (const auto& [tensor, mark] : marks_.tensors) {
      if (IsConstant(tensor)) continue;
      ActivationPlan& activation = plan_.activations[tensor];
      activation.scale_type = options_.scale_type;
      SetTypeOf(options_.activation, rules_.Symmetric(options_.activation, options_.activation_symmetric), activation);
      if (const auto narrowed = marks_.narrowed.find(tensor); narrowed != marks_.narrowed.end())
        activation.range_of = narrowed->second;
      const TensorOverride* own = OverrideOf(tensor);
      const bool block = own != nullptr && own->type ? own->type->block() != nullptr : activation.block.has_value();
      if (marks_.fixed_to_one.contains(tensor) && !block) {
        activation.fixed = {0, 1};
        activation.source = RangeSource::kFixed;
      }
      if (options_.op_list.pairs.unsigned_relu) MakeUnsigned(tensor, activation);
      if (own != nullptr) ApplyOverride(*own, activation);
      if (own == nullptr || !own->range) LeaveUnscaled(options_.scaled.activation, activation);
      if (activation.params) activation.source = RangeSource::kObserved;
      const bool removed = !activation.block || options_.op_list.pairs.fused;
      activation.pair = !removed || !marks_.pairless.contains(tensor);
      if (options_.op_list.pairs.dedicated) activation.dedicated = DedicatedReaders(tensor);
    }
    for (const auto& [tensor, mark] : marks_.tensors) {
      if (!IsConstant(tensor) && !mark.provider.empty()) Share(tensor, mark);
    }
  }

  // Outputs of clamps from 0: all codes are above 0, whatever other activations have. Not where zero points are fixed.
  void MakeUnsigned(const std::string& tensor, ActivationPlan& activation) const {
    const Node* producer = graph_.Producer(tensor);
    const bool is_fixed = options_.compat == Compat::kQuark || rules_.has_positions;
    if (is_fixed || producer == nullptr || activation.block || activation.format.floating()) return;
    const std::optional<Range> bounds = ClampRange(graph_, *producer);
    if (bounds && bounds->min == 0) activation.format.symmetric = false;
  }

  // The nearest tensor up the chain that has parameters of its own, or whose second pair is what is moved. Where there
  // is none, its own range it is.
  void Share(const std::string& tensor, const TensorMark& mark) {
    std::string owner = mark.provider, reader = mark.provider_node;
    std::set<std::string> seen = {tensor};
    const ConvertPlan* second = nullptr;
    while (true) {
      const auto up = marks_.tensors.find(owner);
      if (up == marks_.tensors.end() || !seen.insert(owner).second) {
        plan_.warnings.push_back(
            StrCat("'", tensor, "' gets its own scale, because '", mark.provider, "' has none to share"));
        return;
      }
      if (!IsConstant(owner)) second = plan_.activations.at(owner).ConvertFor(reader);
      if (second != nullptr || up->second.provider.empty() ||
          (OverrideOf(owner) != nullptr && OverrideOf(owner)->SetsParams()))
        break;
      reader = up->second.provider_node;
      owner = up->second.provider;
    }
    ActivationPlan& activation = plan_.activations.at(tensor);
    const bool own = OverrideOf(tensor) != nullptr && OverrideOf(tensor)->SetsParams();
    if (own || activation.block || marks_.unshared.contains(tensor) || marks_.unshared.contains(mark.provider)) return;
    if (IsConstant(owner)) {
      const WeightPlan table = WeightOf(owner, marks_.tensors.at(owner));
      if (!table.block) activation.format = table.format;
    } else {
      const ActivationPlan& provider = plan_.activations.at(owner);
      if (second != nullptr ? second->block.has_value() : provider.block.has_value()) return;
      activation.format = second != nullptr ? second->format : provider.format;
      if (second != nullptr) activation.shares_converted = static_cast<size_t>(second - provider.converts.data());
    }
    activation.shares = owner;
    activation.range_of.clear();
  }

  Status PlanPrecisionBorders() {
    if (!rules_.extended) {
      plan_.warnings.push_back(
          "EnableDualQuantNodePairs: has no effect: only the extended quantizer of target quark has second pairs "
          "around nodes");
      return Status::Ok();
    }
    if (options_.op_list.pairs.dedicated)
      return Error(ErrorId::kConflictingOptions,
                   "EnableDualQuantNodePairs and DedicatedQDQPair: a reader's pair is either its own or a second one");
    preon::PlanPrecisionBorders(graph_, options_.activation, options_.settings, &plan_);
    return Status::Ok();
  }

  // Nodes that quantize and read it, where there are several.
  std::vector<std::string> DedicatedReaders(const std::string& tensor) const {
    std::vector<std::string> readers;
    for (const Use& use : graph_.Uses(tensor)) {
      const bool quantized = !use.captured && std::ranges::find(marks_.quantized, use.node) != marks_.quantized.end();
      if (quantized && std::ranges::find(readers, use.node->name) == readers.end()) readers.push_back(use.node->name);
    }
    if (readers.size() < 2) readers.clear();
    return readers;
  }

  // --- Constants -----------------------------------------------------------------------------------------------
  void PlanWeights() {
    for (const auto& [tensor, mark] : marks_.tensors) {
      if (IsConstant(tensor)) plan_.weights[tensor] = WeightOf(tensor, mark);
    }
  }

  ScaleAxes AxesOf(const std::string& tensor, const TensorMark& mark) const {
    const OpHandler handler = HandlerOf(rules_.handlers, mark.first->op_type);
    const bool sums = (handler == OpHandler::kLinear || handler == OpHandler::kMatMul) && mark.weight &&
                      graph_.Initializer(tensor)->shape().size() >= 2 && mark.first->input(1) == tensor;
    return {.channel = mark.axis, .reduced = sums ? ReducedAxis(graph_, *mark.first) : -1};
  }

  // Constants that are no weights have the activations' type.
  WeightPlan WeightOf(const std::string& tensor, const TensorMark& mark) const {
    WeightPlan plan;
    const TensorType& type = mark.weight ? options_.weight : options_.activation;
    const bool symmetric =
        mark.weight ? WeightSymmetric(type) : rules_.Symmetric(options_.activation, options_.activation_symmetric);
    SetTypeOf(type, symmetric, plan);
    plan.format.reduce_range = options_.op_list.reduce_range && !plan.block && !plan.format.floating();
    plan.scale_type = mark.weight ? options_.scale_type_of_weights() : options_.scale_type;
    plan.rule = options_.weight_rule;
    const ScaleAxes axes = AxesOf(tensor, mark);
    SetGranularity(options_.per_channel, options_.block_size.value_or(0), axes, plan);
    // One scale per channel: one zero point for all.
    if (plan.axis >= 0 && rules_.per_channel_is_symmetric) plan.format.symmetric = true;
    if (plan.axis >= 0 && plan.format.type == DataType::kUInt8 && rules_.per_channel_is_int8)
      plan.format = {DataType::kInt8, true, plan.format.reduce_range};
    if (const TensorOverride* own = OverrideOf(tensor)) {
      const IntFormat before = plan.format;
      const bool codes = !plan.block && IsIntType(before.type);
      if (options_.MixesAsQuark() && codes && own->type && *own->type != TensorType(before.type))
        plan.codes_before = before;
      if (own->SetsParams()) SetGranularity(false, 0, axes, plan);  // what it does not say is one scale
      ApplyOverride(*own, axes, plan);
    }
    if (plan.block_size > 0 && plan.axis >= 0)  // more than there are is all
      plan.block_size = std::min(plan.block_size, graph_.Initializer(tensor)->shape()[static_cast<size_t>(plan.axis)]);
    // The runtime's DequantizeLinear takes the difference to the zero point in 32 bits.
    if (plan.format.type == DataType::kInt32) plan.format.symmetric = true;
    LeaveUnscaled(options_.scaled.weight || plan.range, plan);
    if (plan.params || plan.block) plan.axis = -1;
    plan.form = options_.weight_form ? *options_.weight_form : rules_.FormOf(plan, plan_, *mark.first, options_.compat);
    std::set<std::string> biased;
    for (const BiasMark& bias : marks_.biases) {
      if (bias.bias == tensor) biased.insert(bias.node->name);
    }
    for (const Use& use : graph_.Uses(tensor)) {
      const bool reads = !use.captured && !(use.input == 2 && biased.contains(use.node->name));
      if (reads && (plan.nodes.empty() || plan.nodes.back() != use.node->name)) plan.nodes.push_back(use.node->name);
    }
    return plan;
  }

  bool WeightSymmetric(const TensorType& type) const {
    if (type.block() != nullptr) return false;
    return options_.weight_symmetric.value_or(IntFormat{type.type()}.q_min() < 0);
  }

  // --- Biases --------------------------------------------------------------------------------------------------
  // Codes of up to 16 bits with one scale per output: products have the product of both scales.
  bool AccumulatesInInt32(const BiasMark& bias) const {
    const int most_bits = options_.compat == Compat::kQuark ? 32 : 16;  // there int32 weights count too
    const auto is_short = [&](const IntFormat& format) {
      return IsIntType(format.type) && static_cast<int>(DataTypeBits(format.type)) <= most_bits;
    };
    const auto ok = [&](const std::string& tensor) {
      if (plan_.activations.contains(tensor)) {
        const IntFormat* codes = CodesRead(plan_, *bias.node, tensor);
        return codes != nullptr && is_short(*codes);
      }
      const auto constant = plan_.weights.find(tensor);
      return constant != plan_.weights.end() && !constant->second.block && is_short(constant->second.format) &&
             constant->second.block_size == 0 && constant->second.form != WeightForm::kFolded;
    };
    return ok(bias.input) && ok(bias.weight);
  }

  void PlanBias(const BiasMark& mark) {
    const BiasOptions& wanted = options_.op_list.bias;
    const bool possible = AccumulatesInInt32(mark);
    const bool encoded =
        possible && wanted.quantize && (wanted.int32.value_or(!rules_.biases_are_weights) || wanted.int16);
    const bool weights_only = options_.op_list.selection.weights_only;
    if (encoded) {
      plan_.biases.push_back(
          {mark.node->name, mark.bias, mark.input, mark.weight, BiasForm::kInt32Codes, wanted.protect});
    } else if (wanted.quantize && ((rules_.other_biases_as_weights && !weights_only) ||
                                   !wanted.int32.value_or(!rules_.biases_are_weights))) {
      const TensorMark as_weight{
          .weight = true, .axis = graph_.Initializer(mark.bias)->shape().size() == 1 ? 0 : -1, .first = mark.node};
      plan_.weights[mark.bias] = WeightOf(mark.bias, as_weight);
      std::set<std::string>& nodes = biases_as_weights_[mark.bias];
      nodes.insert(mark.node->name);
      plan_.weights[mark.bias].nodes.assign(nodes.begin(), nodes.end());
      const bool is_rounded = plan_.weights.contains(mark.weight);
      if (is_rounded && HasBiasOfChannels(graph_, *mark.node) && graph_.UseCount(mark.bias) == 1)
        plan_.biases.push_back({mark.node->name, mark.bias, mark.input, mark.weight, BiasForm::kAsWeight});
    } else if (!weights_only && HasBiasOfChannels(graph_, *mark.node)) {
      plan_.biases.push_back({mark.node->name, mark.bias, mark.input, mark.weight, BiasForm::kFloat});
    }
  }

  // --- All -----------------------------------------------------------------------------------------------------
  // What a compiler that computes in bfloat16 needs: inputs in that type, and weights that are of it.
  void KeepInputCastsOnly() {
    const auto is_bfloat16 = [](const auto& plan) { return plan.format.type == DataType::kBFloat16; };
    std::erase_if(plan_.activations,
                  [&](const auto& entry) { return is_bfloat16(entry.second) && !graph_.IsInput(entry.first); });
    for (auto& [tensor, weight] : plan_.weights) {
      if (is_bfloat16(weight)) weight.form = WeightForm::kFolded;
    }
  }

  // Parameters that no tensor shares and no pair has.
  void DropUnusedPairs() {
    std::set<std::string> wanted;
    for (const auto& [tensor, activation] : plan_.activations) wanted.insert(activation.shares);
    for (const auto& [tensor, from] : plan_.aligned) wanted.insert({tensor, from});
    for (const BiasPlan& bias : plan_.biases)
      if (bias.form == BiasForm::kInt32Codes) wanted.insert({bias.input, bias.weight});
    std::erase_if(plan_.activations,
                  [&](const auto& entry) { return !entry.second.pair && !wanted.contains(entry.first); });
  }

  const Model& model_;
  const Graph& graph_;
  const PlanOptions& options_;
  const OpListRules& rules_;
  OpListMarks marks_;
  QuantPlan plan_;
  std::map<std::string, std::set<std::string>> biases_as_weights_;  // readers
};

}  // namespace

Result<QuantPlan> PlanOpList(const Model& model, const PlanOptions& options, const OpListRules& rules) {
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, OpListPlanner(model, options, rules).Run());
  const auto plan_body = [&](const Model& body, const PlanOptions& weights_alone) {
    return PlanOpList(body, weights_alone, rules);
  };
  if (options.op_list.selection.sub_graphs) PREON_RETURN_IF_ERROR(PlanBodies(model, options, plan_body, &plan));
  return plan;
}

}  // namespace preon
