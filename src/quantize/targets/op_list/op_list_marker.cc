// Rules: docs/design/op-list-targets.md.
#include "quantize/targets/op_list/op_list_marker.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "passes/support/match.h"
#include "quantize/plan/dpu_operators.h"
#include "quantize/plan/macs.h"
#include "quantize/plan/op_traits.h"
#include "quantize/targets/op_list/pairless_tensors.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 6> kElementwise = {"Add", "Mul", "Sub", "Div", "Min", "Max"};

class Marker {
 public:
  Marker(const Model& model, const MarkOptions& options, const OpListRules& rules)
      : graph_(model.graph),
        opset_(model.opset()),
        options_(options),
        rules_(rules),
        pairs_(options.op_list.pairs),
        selection_(options.exclude, options.op_list.selection.nodes) {
    for (const std::string& name : pairs_.no_output_nodes) {
      const Node* node = graph_.FindNode(name);
      if (node != nullptr) never_.insert(node->outputs().begin(), node->outputs().end());
    }
  }

  OpListMarks Run() {
    marks_.warnings = selection_.WithoutEffect(graph_);
    for (const auto& node : graph_.nodes()) {
      NodeDecision decision{node->name, node->op_type, FloatReason::kNone, "", NodeMacs(graph_, *node)};
      Decide(*node, decision);
      if (decision.reason == FloatReason::kNone) {
        marks_.quantized.push_back(node.get());
        Mark(*node);
      }
      marks_.nodes.push_back(std::move(decision));
    }
    for (const Node* node : marks_.quantized) AdjustRanges(*node);
    if (rules_.removes_pairs)
      marks_.pairless = PairlessTensors(graph_, pairs_.removed, options_.compat == Compat::kQuark);
    return std::move(marks_);
  }

 private:
  // --- Which nodes ---------------------------------------------------------------------------------------------
  void Decide(const Node& node, NodeDecision& decision) const {
    const auto leave = [&](FloatReason reason, std::string detail) {
      decision.reason = reason;
      decision.detail = std::move(detail);
    };
    if (selection_.Excludes(node)) return leave(FloatReason::kExcluded, "excluded by the user");
    if (const auto left = options_.left_float.find(node.name); left != options_.left_float.end())
      return leave(left->second, std::string(LeftFloatDetail(left->second)));
    if (options_.compat != Compat::kOff && (node.IsInBranch() || node.IsFlatIf()))
      return leave(FloatReason::kSubgraph, "an If or a node in its branches, which the other tools leave in float");
    if (!IsListed(node)) {
      const bool by_user = !options_.op_list.selection.op_types.empty();
      return leave(by_user ? FloatReason::kExcluded : FloatReason::kNoKernel,
                   rules_.operands_alone
                       ? "block types: only inputs of Conv, ConvTranspose, Gemm and MatMul nodes are quantized"
                       : StrCat("operator type ", node.op_type,
                                by_user ? " is not among those to quantize" : " is not in the target's list"));
    }
    if (!selection_.Includes(node)) return leave(FloatReason::kExcluded, "not among the nodes to quantize");
    // ONNX Runtime's quantizer reads that option for integer operators alone.
    const bool const_b_only = options_.op_list.selection.matmul_const_b_only.value_or(rules_.matmul_const_b_only) &&
                              options_.compat != Compat::kOnnxRuntime;
    if (const_b_only && node.Is("MatMul") && !IsConstant(node.input(1)))
      return leave(FloatReason::kNotConstant, "MatMulConstBOnly: its second operand is not constant");
    if (rules_.removes_pairs && ReadsInfinity(graph_, node))
      return leave(FloatReason::kMask, "one of its constants is infinite");
    if (IsMasked(node.output())) return leave(FloatReason::kMask, kMaskDetail);
    if (HandlerOf(rules_.handlers, node.op_type) == OpHandler::kHardSigmoid && !IsDpuHardSigmoid(node))
      return leave(FloatReason::kAttributes, "NPUs have HardSigmoid with alpha 1/6 and beta 0.5 alone");
    if (ComputesOtherFloats(graph_, node)) leave(FloatReason::kType, "computes in another type than float32");
  }

  bool IsListed(const Node& node) const {
    if (node.HasSubgraph() || node.IsFlatIf() || node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear")
      return false;
    const SelectionOptions& selection = options_.op_list.selection;
    if (Contains(selection.extra_op_types, node.op_type) || selection.all_op_types) return true;
    if (!selection.op_types.empty()) return Contains(selection.op_types, node.op_type);
    return (node.domain.empty() || node.domain == "com.microsoft") && rules_.Quantizes(node.op_type);
  }

  bool IsMasked(const std::string& tensor) const {
    return rules_.keeps_masks_float && options_.compat == Compat::kOff && FeedsSoftmaxWithMask(graph_, tensor);
  }

  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }

  bool IsQuantizable(const std::string& tensor) const {
    if (tensor.empty()) return false;
    const DataType type = graph_.TypeOf(tensor);
    if (type != DataType::kFloat && !(type == DataType::kUndefined && rules_.unknown_is_float && !IsConstant(tensor)))
      return false;
    if (const Tensor* value = graph_.Initializer(tensor)) return value->count() > 0;
    const Node* producer = graph_.Producer(tensor);
    if (producer != nullptr && producer->op_type == "DequantizeLinear") return false;
    return !options_.op_list.selection.weights_only && !never_.contains(tensor) && !IsMasked(tensor);
  }

  bool Marked(const std::string& tensor) const {
    return marks_.tensors.contains(tensor) ||
           std::ranges::any_of(marks_.biases, [&](const BiasMark& bias) { return bias.bias == tensor; });
  }

  // Do its constants have the activations' type?
  bool AlignsConstants(const Node& node) const {
    return pairs_.align_elementwise && rules_.extended && Contains(kElementwise, node.op_type);
  }

  void MarkTensor(const Node& node, const std::string& tensor) {
    const bool weight = rules_.constants_are_weights && !AlignsConstants(node);
    if (IsQuantizable(tensor)) marks_.tensors.try_emplace(tensor, TensorMark{.weight = weight, .first = &node});
  }
  void MarkInput(const Node& node, size_t index) { MarkTensor(node, node.input(index)); }

  // `axis` -1: one scale. A constant that nodes want along different axes has one scale.
  void MarkWeight(const Node& node, const std::string& tensor, int axis) {
    if (!IsQuantizable(tensor)) return;
    const auto [mark, fresh] =
        marks_.tensors.try_emplace(tensor, TensorMark{.weight = true, .axis = axis, .first = &node});
    if (!fresh && mark->second.axis != axis) mark->second.axis = -1;
  }

  void MarkSame(const Node& node, const std::string& tensor, const std::string& provider) {
    if (!IsQuantizable(tensor)) return;
    if (IsConstant(tensor)) return MarkTensor(node, tensor);
    TensorMark& mark = marks_.tensors[tensor];
    mark.provider = provider;
    mark.provider_node = node.name;
    if (mark.first == nullptr) mark.first = &node;
  }

  bool MarksOutputs(const Node& node) const {
    return !rules_.operands_alone && !Contains(pairs_.no_output_types, node.op_type);
  }
  void MarkOutputs(const Node& node) {
    if (!MarksOutputs(node)) return;
    for (const std::string& output : node.outputs()) MarkTensor(node, output);
  }

  // --- Handlers ------------------------------------------------------------------------------------------------
  void Mark(const Node& node) {
    if (AlignsConstants(node)) marks_.unshared.insert(node.inputs().begin(), node.inputs().end());
    switch (HandlerOf(rules_.handlers, node.op_type)) {
      case OpHandler::kLinear:
        return MarkLinear(node);
      case OpHandler::kMatMul:
        return MarkMatMul(node);
      case OpHandler::kClamp:
        return MarkClamp(node);
      case OpHandler::kMover:
        return MarkMover(node);
      case OpHandler::kGather:
        return MarkGather(node);
      case OpHandler::kSplit:
        return MarkSplit(node);
      case OpHandler::kPad:
        return MarkPad(node);
      case OpHandler::kWhere:
        return MarkWhere(node);
      case OpHandler::kNormalization:
        return MarkNormalization(node);
      case OpHandler::kSlope:
        return MarkSlope(node);
      case OpHandler::kHardSigmoid:
      case OpHandler::kEveryTensor:
        for (const std::string& input : node.inputs()) MarkTensor(node, input);
        return MarkOutputs(node);
    }
  }

  // The axis of channels: the user's for the operator, else the default; -1 where it has none.
  int ChannelAxis(const Node& node, const std::string& tensor, int by_default) {
    const Tensor* value = graph_.Initializer(tensor);
    if (value == nullptr) return -1;
    const auto wanted = pairs_.channel_axis.find(node.op_type);
    const bool named = wanted != pairs_.channel_axis.end();
    const auto rank = static_cast<int64_t>(value->shape().size());
    int64_t axis = named ? wanted->second : by_default;
    if (axis < 0) axis += rank;
    const auto warn = [&](std::string_view instead) {
      if (named)
        marks_.warnings.push_back(
            StrCat("QDQOpTypePerChannelSupportToAxis: '", tensor, "' of node '", node.name, "' has ", instead));
    };
    // Biases have a value per output: their weights' channels are these.
    const bool biased = HandlerOf(rules_.handlers, node.op_type) == OpHandler::kLinear && !node.input(2).empty();
    if (biased && axis != by_default) {
      warn("its channels along the outputs instead: its bias has one value for each output");
      axis = by_default;
    }
    // Kernels of the runtime take scales per output, or fail when they run.
    const bool kernel = node.Is("MatMul") || node.Is("Conv") || node.Is("Gemm");
    if ((kernel && axis != by_default) || (node.Is("MatMul") && rank != 2)) {
      warn("one scale instead: the runtime only takes one scale per output");
      return -1;
    }
    return axis >= 0 && axis < rank ? static_cast<int>(axis) : -1;
  }

  void MarkLinear(const Node& node) {
    MarkInput(node, 0);
    MarkOutputs(node);
    const int axis = node.Is("Conv") ? 0 : node.Is("ConvTranspose") ? 1 : WeightAxis(graph_, node);
    MarkWeight(node, node.input(1), ChannelAxis(node, node.input(1), axis));
    if (node.input(2).empty()) return;
    if (IsConstant(node.input(2))) return MarkBias(node);
    if (node.Is("Gemm") && !rules_.operands_alone) MarkInput(node, 2);
  }

  void MarkMatMul(const Node& node) {
    for (const std::string& input : node.inputs()) {
      if (IsConstant(input))
        MarkWeight(node, input, ChannelAxis(node, input, 1));
      else
        MarkTensor(node, input);
    }
    MarkOutputs(node);
  }

  void MarkBias(const Node& node) {
    const std::string& bias = node.input(2);
    const bool quantizes = options_.op_list.bias.quantize;
    if (!IsQuantizable(bias) || (!quantizes && options_.compat != Compat::kOff)) return;
    if (quantizes && options_.overrides.contains(bias)) return MarkWeight(node, bias, ChannelAxis(node, bias, 0));
    marks_.biases.push_back({&node, bias, node.input(0), node.input(1)});
  }

  void MarkSlope(const Node& node) {
    MarkInput(node, 0);
    if (IsConstant(node.input(1)))
      MarkWeight(node, node.input(1), ChannelAxis(node, node.input(1), 0));
    else
      MarkInput(node, 1);
    MarkOutputs(node);
  }

  void MarkNormalization(const Node& node) {
    const bool follows = rules_.shifts_as_weights && node.Is("LayerNormalization") && !pairs_.force_without_input;
    if (follows && !Marked(node.input(0))) return;
    MarkInput(node, 0);
    // A bias has as many scales as its weight, along axis 0: one where it has several dimensions.
    const Tensor* bias = graph_.Initializer(node.input(2));
    const bool one_scale = bias != nullptr && bias->shape().size() > 1;
    MarkWeight(node, node.input(1), one_scale ? -1 : ChannelAxis(node, node.input(1), 1));
    const bool as_weight = rules_.shifts_as_weights && node.Is("LayerNormalization");
    if (IsConstant(node.input(2))) as_weight ? MarkWeight(node, node.input(2), -1) : MarkBias(node);
    MarkOutputs(node);
  }

  bool Converted(const std::string& tensor) const {
    const auto wanted = options_.overrides.find(tensor);
    return wanted != options_.overrides.end() && !wanted->second.converts.empty();
  }

  // Can the producer's codes do what the node does? Whether their limits are the node's is asked when they are known.
  bool Folds(const Node& node) const {
    const std::string& input = node.input(0);
    return rules_.folds_clamps && !options_.symmetric && !pairs_.keep_clamps && !pairs_.dual &&
           !options_.op_list.selection.weights_only && graph_.Producer(input) != nullptr &&
           graph_.UseCount(input) == 1 && !graph_.HasCapturedUse(input) && !Converted(input) &&
           !Converted(node.output()) && IsQuantizable(node.output()) && ClampRange(graph_, node).has_value();
  }

  void MarkClamp(const Node& node) {
    const std::string& input = node.input(0);
    if (!Marked(input)) return;
    if (Folds(node) && MarksOutputs(node)) {
      marks_.folded.push_back(node.name);
      marks_.tensors.erase(input);
    } else {
      MarkTensor(node, input);
    }
    MarkOutputs(node);
  }

  void MarkMover(const Node& node) {
    if ((node.Is("MaxPool") && opset_ < 12) || (node.Is("Resize") && opset_ < 11)) return;  // of floats alone
    if (pairs_.force_without_input) MarkInput(node, 0);
    if (Marked(node.input(0)) && MarksOutputs(node)) MarkSame(node, node.output(), node.input(0));
  }

  void MarkGather(const Node& node) {
    if (IsConstant(node.input(0)) || pairs_.force_without_input) MarkInput(node, 0);
    if (Marked(node.input(0))) MarkSame(node, node.output(), node.input(0));
  }

  void MarkSplit(const Node& node) {
    MarkInput(node, 0);
    if (!MarksOutputs(node)) return;
    for (const std::string& output : node.outputs()) MarkSame(node, output, node.input(0));
  }

  void MarkPad(const Node& node) {
    for (const std::string& input : node.inputs()) MarkTensor(node, input);
    if (!MarksOutputs(node)) return;
    const bool zero =
        node.input(2).empty() ? node.Float("value", 0) == 0 : ConstantScalar(graph_, node.input(2)) == 0.0f;
    const bool adds_none = node.String("mode", "constant") != "constant" || zero;
    if (adds_none)
      MarkSame(node, node.output(), node.input(0));
    else
      MarkOutputs(node);
  }

  void MarkWhere(const Node& node) {
    if (pairs_.force_without_input) {
      for (const size_t operand : {size_t{1}, size_t{2}}) MarkInput(node, operand);
    } else if (!Marked(node.input(1)) || !Marked(node.input(2))) {
      return;
    }
    MarkOutputs(node);
  }

  // --- Afterwards ----------------------------------------------------------------------------------------------
  void AdjustRanges(const Node& node) {
    const bool clamp = node.Is("Relu") || node.Is("Clip");
    if (clamp && rules_.narrows_clamp_inputs && graph_.UseCount(node.input(0)) == 1)
      marks_.narrowed[node.input(0)] = node.output();
    if (node.Is("Softmax")) marks_.fixed_to_one.insert(node.output());
  }

  const Graph& graph_;
  const int64_t opset_;
  const MarkOptions& options_;
  const OpListRules& rules_;
  const PairOptions& pairs_;
  const Selection selection_;
  std::set<std::string> never_;
  OpListMarks marks_;
};

}  // namespace

OpListMarks MarkTensors(const Model& model, const MarkOptions& options, const OpListRules& rules) {
  return Marker(model, options, rules).Run();
}

}  // namespace preon
