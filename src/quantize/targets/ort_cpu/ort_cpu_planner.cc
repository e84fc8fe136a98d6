// Placement for the CPU runtime, in four steps over the topological order:
//
//   1. classify     every operator alone: anchor, carrier, mover, clamp or float (op_traits.h); exclusions; anchors too
//                   small to pay for a Q of their own
//   2. usefulness   backwards: a tensor is useful when it reaches an integer anchor through carriers and movers only.
//                   What is not useful is a tail (boxes, logits) and keeps float accuracy at no cost
//   3. quantized    forwards: T starts as what anchors read and what convolutions write (behind their Relu/Clip); a
//                   carrier joins when all its operands are in T and its result is useful, a mover when its input is
//   4. plan         a Q/DQ pair for every tensor in T, codes for the constants that integer nodes read
//
// So a Q/DQ pair exists only where an integer kernel is on at least one side, each kernel's output goes to exactly one
// Q, and attention masks, LayerNorm, GELU, Softmax and decoding tails stay float by construction.
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <unordered_map>

#include "quantize/plan/check_plan.h"
#include "quantize/plan/float_fallback.h"
#include "quantize/plan/macs.h"
#include "quantize/plan/op_traits.h"
#include "quantize/plan/passthrough.h"
#include "quantize/qdq_passes/fill_image_channels.h"
#include "quantize/settings/node_selection.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/dynamic_kernels.h"
#include "quantize/targets/ort_cpu/dynamic_nodes.h"
#include "quantize/targets/ort_cpu/padded_source.h"
#include "quantize/targets/ort_cpu/small_integer_regions.h"

namespace preon {
namespace {

// A Gemm/MatMul between float operators costs one Q and one more dispatch (some 4 µs); below this many
// multiply-accumulates the integer kernel saves less than that (measured: docs/design/placement.md).
constexpr double kMinAnchorMacs = 100e3;
constexpr double kAnchorNs = 4000, kIntegerNsPerMac = 0.0055, kMinShareOfTime = 0.001;

struct NodeState {
  OpTraits traits;
  bool integer = false;
  bool useful = false;
};

class OrtCpuPlanner {
 public:
  OrtCpuPlanner(const Model& model, const PlanOptions& options)
      : graph_(model.graph),
        options_(options),
        selection_(options.exclude, options.op_list.selection.nodes),
        dynamic_(graph_, options.weight_codes(), options.settings.overrides, options.compat),
        plan_{.target = "ort-cpu", .compat = options.compat} {
    plan_.warnings = selection_.WithoutEffect(graph_);
  }

  Result<QuantPlan> Run() {
    Classify();
    DropSmallAnchors();
    MarkUseful();
    GrowQuantized();
    PlanActivations();
    PlanConstants();
    InheritRanges(graph_, options_.passthrough, options_.settings.overrides, &plan_);
    RecordDecisions();
    if (!quantized_.empty() && options_.compat == Compat::kOff) AddDynamicNodes(graph_, dynamic_, plan_);
    PREON_RETURN_IF_ERROR(CheckPlan(plan_));
    return std::move(plan_);
  }

 private:
  NodeState& State(const Node* node) { return states_.at(node); }
  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }
  bool Quantized(const std::string& tensor) const { return quantized_.count(tensor) > 0; }

  void Classify() {
    for (const auto& node : graph_.nodes()) {
      NodeState state{ClassifyForOrtCpu(graph_, *node)};
      if (const auto left = options_.left_float.find(node->name); left != options_.left_float.end())
        state.traits = {OpRole::kFloat, left->second, std::string(LeftFloatDetail(left->second))};
      if (selection_.Excludes(*node)) state.traits = {OpRole::kFloat, FloatReason::kExcluded, "excluded by the user"};
      state.integer = state.traits.role == OpRole::kAnchor;
      states_.emplace(node.get(), std::move(state));
    }
  }

  // True when the tensor comes from a convolution through carriers, movers and clamps: its codes exist anyway.
  bool ComesFromConv(const std::string& tensor) const {
    const Node* node = graph_.Producer(tensor);
    while (node != nullptr) {
      const NodeState& state = states_.at(node);
      if (state.traits.role == OpRole::kAnchor) return node->Is("Conv");
      if (state.traits.role == OpRole::kFloat) return false;
      node = graph_.Producer(node->input(0));
    }
    return false;
  }

  void DropSmallAnchors() {
    std::vector<Node*> small;
    // Anchors of integer regions too small stay float, too: other small ones beside them need not follow.
    auto anchors = static_cast<size_t>(std::ranges::count_if(
        options_.left_float, [](const auto& entry) { return entry.second == FloatReason::kNoGain; }));
    double all_macs = 0;
    for (const auto& node : graph_.nodes()) {
      if (!State(node.get()).integer) continue;
      ++anchors;
      const bool costs_a_pair = !node->Is("Conv") && !ComesFromConv(node->input(0));
      const double macs = NodeMacs(graph_, *node);
      all_macs += macs;
      if (costs_a_pair && macs > 0 && macs < kMinAnchorMacs) small.push_back(node.get());
    }
    if (!small.empty() && small.size() == anchors) {
      plan_.warnings.push_back("all Gemm/MatMul nodes are small: quantizing them saves memory but little time");
      return;
    }
    // They cost next to no time: a model that is all integer runs on devices without floats, too.
    if (kAnchorNs * static_cast<double>(small.size()) < kMinShareOfTime * kIntegerNsPerMac * all_macs) return;
    for (Node* node : small)
      State(node) = {{OpRole::kFloat, FloatReason::kNoGain, "too small: Q/DQ would cost more than INT8 gains"}};
  }

  void MarkUseful() {
    std::set<std::string> useful;
    const auto& nodes = graph_.nodes();
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
      const Node& node = **it;
      NodeState& state = State(&node);
      state.useful = state.integer || std::any_of(node.outputs().begin(), node.outputs().end(),
                                                  [&](const std::string& output) { return useful.count(output) > 0; });
      if (!state.useful || state.traits.role == OpRole::kFloat) continue;
      for (size_t index : DataInputs(node)) useful.insert(node.input(index));
    }
  }

  // The tensor that carries the node's codes: behind a Relu/Clip that can be absorbed, else the node's own output.
  std::string CodesTensor(const Node& node) {
    const std::string& output = node.output();
    if (graph_.IsOutput(output) || graph_.UseCount(output) != 1 || graph_.HasCapturedUse(output)) return output;
    Node* reader = graph_.Uses(output)[0].node;
    if (State(reader).traits.role != OpRole::kClamp) return output;
    State(reader).integer = true;
    folded_.insert(reader);
    return reader->output();
  }

  void GrowQuantized() {
    for (const auto& node : graph_.nodes())
      if (State(node.get()).integer && State(node.get()).traits.role == OpRole::kAnchor)
        quantized_.insert(node->input(0));
    padded_.AddTo(quantized_);
    for (const auto& owner : graph_.nodes()) {
      Node* node = owner.get();
      NodeState& state = State(node);
      switch (state.traits.role) {
        case OpRole::kAnchor:
          if (state.integer && NeedsQuantizedOutput(graph_, *node)) quantized_.insert(CodesTensor(*node));
          break;
        case OpRole::kCarrier:
          state.integer = state.useful && OperandsQuantized(*node);
          if (!state.integer) break;
          if (const std::string codes = CodesTensor(*node); quantized_.insert(codes), codes == node->output()) {
            if (const std::string source = padded_.Of(codes); Quantized(source)) shares_[codes] = source;
          }
          break;
        case OpRole::kMover:
        case OpRole::kSharer:
          if (!state.useful || !Quantized(node->input(0))) break;
          state.integer = true;
          for (const std::string& output : node->outputs()) {
            if (output.empty()) continue;
            quantized_.insert(output);
            shares_[output] = node->input(0);
          }
          break;
        case OpRole::kClamp:
          // Not absorbed: runs in float between DQ and Q, so that what follows stays in integers.
          if (folded_.count(node) == 0 && state.useful && Quantized(node->input(0))) quantized_.insert(node->output());
          break;
        case OpRole::kFloat:
          break;
      }
    }
  }

  bool OperandsQuantized(const Node& node) const {
    const std::vector<size_t> operands = DataInputs(node);
    return std::all_of(operands.begin(), operands.end(),
                       [&](size_t index) { return IsConstant(node.input(index)) || Quantized(node.input(index)); });
  }

  IntFormat ActivationFormat() const {
    // s8 activations lose most integer kernels on x86-64; u8 with the zero point shifted by 128 holds the same codes.
    return {DataType::kUInt8, options_.activation_symmetric.value_or(false)};
  }

  void PlanActivations() {
    for (const std::string& tensor : quantized_) {
      ActivationPlan activation;
      activation.format = ActivationFormat();
      activation.scale_type = options_.scale_type;
      const auto own = options_.settings.overrides.find(tensor);
      if (own != options_.settings.overrides.end()) {
        ApplyOverride(own->second, activation);
      } else if (const auto shared = shares_.find(tensor); shared != shares_.end()) {
        activation.shares = ShareRoot(tensor);
      }
      plan_.activations.emplace(tensor, std::move(activation));
    }
    for (Node* node : folded_) plan_.folded_clamps.push_back(node->name);
    std::sort(plan_.folded_clamps.begin(), plan_.folded_clamps.end());
  }

  // The first tensor up the chain of movers with parameters of its own.
  std::string ShareRoot(std::string tensor) const {
    for (auto it = shares_.find(tensor); it != shares_.end(); it = shares_.find(tensor)) {
      if (options_.settings.overrides.count(tensor) > 0) break;
      tensor = it->second;
    }
    return tensor;
  }

  void PlanConstants() {
    for (const auto& owner : graph_.nodes()) {
      const Node& node = *owner;
      const NodeState& state = State(owner.get());
      if (state.traits.role == OpRole::kAnchor && state.integer) {
        AddWeight(node, 1, {options_.weight.type(), options_.weight == DataType::kInt8, options_.op_list.reduce_range},
                  options_.scale_type_of_weights(), options_.per_channel ? WeightAxis(graph_, node) : -1);
        plan_.weights.at(node.input(1)).fits_pairs = FitsPairs();
        if (node.Is("Conv") && options_.compat == Compat::kOff && GainsFromFourChannels(graph_, node)) {
          plan_.filled_inputs.push_back(node.name);
        }
        if (!node.input(2).empty()) plan_.biases.push_back({node.name, node.input(2), node.input(0), node.input(1)});
      } else if (state.traits.role == OpRole::kCarrier && state.integer) {
        for (size_t index : DataInputs(node)) {
          if (IsConstant(node.input(index))) AddWeight(node, index, ActivationFormat(), options_.scale_type, -1);
        }
      } else if (!state.integer && (node.Is("Conv") || node.Is("Gemm")) && IsConstant(node.input(1)) &&
                 Quantized(node.input(0))) {
        plan_.float_regions.push_back(node.name);
      }
    }
  }

  void AddWeight(const Node& node, size_t index, IntFormat format, ScaleType scale_type, int axis) {
    auto [it, fresh] = plan_.weights.try_emplace(node.input(index));
    WeightPlan& weight = it->second;
    if (fresh) {
      weight.format = format;
      weight.scale_type = scale_type;
      weight.rule = options_.weight_rule;
      weight.axis = axis;
      const auto own = options_.settings.overrides.find(node.input(index));
      if (own != options_.settings.overrides.end()) ApplyOverride(own->second, {.channel = axis}, weight);
    } else if (weight.axis != axis) {
      weight.axis = -1;  // readers that need different axes share one scale
    }
    weight.nodes.push_back(node.name);
  }

  bool FitsPairs() const {
    return !options_.vnni && options_.compat == Compat::kOff && options_.weight == DataType::kInt8 &&
           options_.scale_type_of_weights() != ScaleType::kPowerOfTwo;  // these would double
  }

  void RecordDecisions() {
    for (const auto& owner : graph_.nodes()) {
      const Node& node = *owner;
      const NodeState& state = State(owner.get());
      NodeDecision decision{node.name, node.op_type, FloatReason::kNone, "", NodeMacs(graph_, node)};
      if (!state.integer) Explain(node, state, decision);
      plan_.nodes.push_back(std::move(decision));
    }
  }

  void Explain(const Node& node, const NodeState& state, NodeDecision& decision) {
    if (state.traits.role == OpRole::kFloat || state.traits.role == OpRole::kSharer) {
      decision.reason = state.traits.reason;
      decision.detail = state.traits.detail;
      return;
    }
    if (FeedsSoftmaxWithMask(graph_, node.output())) {
      decision.reason = FloatReason::kMask;
      decision.detail = kMaskDetail;
    } else if (!state.useful && OperandsQuantized(node)) {
      decision.reason = FloatReason::kTail;
      decision.detail = kTailDetail;
    } else {
      decision.reason = FloatReason::kNoGain;
      decision.detail = state.useful ? "one input is computed in float" : "between float operators";
    }
  }

  const std::function<bool(const Node&)> moves_ = [this](const Node& node) {
    const NodeState& state = State(&node);
    if (node.Is("Concat")) return state.traits.role == OpRole::kCarrier && state.useful;
    return state.traits.role == OpRole::kMover || state.traits.role == OpRole::kSharer;
  };
  const Graph& graph_;
  PaddedSources padded_{graph_, moves_};
  const PlanOptions& options_;
  Selection selection_;
  const DynamicKernels dynamic_;
  QuantPlan plan_;
  std::unordered_map<const Node*, NodeState> states_;
  std::set<std::string> quantized_;
  std::map<std::string, std::string> shares_;  // mover's output -> its input
  std::set<Node*> folded_;
};

constexpr std::array kByteTypes = {DataType::kInt8, DataType::kUInt8};  // what the integer kernels take

bool HasProduct(const QuantPlan& plan) {
  return std::ranges::any_of(plan.nodes, [](const NodeDecision& d) { return d.is_static() && d.macs > 0; });
}

}  // namespace

Status CheckOrtCpuTypes(const TensorType& activation, const TensorType& weight, const TensorSettings& settings) {
  return CheckTypes("ort-cpu", kByteTypes, activation, weight, settings);
}

Result<QuantPlan> PlanForOrtCpu(const Model& model, const PlanOptions& options) {
  PREON_RETURN_IF_ERROR(CheckOrtCpuTypes(options.activation, options.weight, options.settings));
  if (options.HasBlockSize())
    return Error(ErrorId::kConflictingOptions, "--block-size: has no effect with --target ort-cpu");
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, OrtCpuPlanner(model, options).Run());
  FloatNodes left_float = options.left_float;
  const FloatFallback too_small{.advice = [&](const QuantPlan& planned) -> Result<FloatNodes> {
                                  FloatNodes nodes;
                                  for (const std::string& node : NodesOfSmallIntegerRegions(model.graph, planned))
                                    nodes.emplace(node, FloatReason::kNoGain);
                                  return nodes;
                                },
                                .plan = [&](const FloatNodes& all) -> Result<QuantPlan> {
                                  PlanOptions without = options;
                                  without.left_float = all;
                                  return OrtCpuPlanner(model, without).Run();
                                },
                                .fits = HasProduct};
  PREON_ASSIGN_OR_RETURN(const FallbackEnd end, FallBack(too_small, plan, left_float));
  if (end == FallbackEnd::kRefused)
    plan.warnings.push_back("all convolutions are small: quantizing them saves memory but little time");
  return plan;
}

}  // namespace preon
