// The reference's layout for NPU compilers (its base QDQ quantizer). Rules: spec qdq §3-§5, options §7, graph-passes §5.1;
// of block formats, spec formats §12, §13.
#include "quantize/every_op_planner.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/combination.h"
#include "quantize/bias_correction.h"
#include "quantize/block_axes.h"
#include "quantize/op_traits.h"
#include "quantize/overrides.h"
#include "quantize/passthrough.h"
#include "quantize/plan.h"
#include "quantize/selection.h"

namespace preon {
namespace {

constexpr std::array kQuantizedOps = {
    "ArgMax",  "Conv",      "Gemm",    "MatMul",  "Add",       "Mul",    "Relu",    "Clip",   "LeakyRelu", "Sigmoid",
    "MaxPool", "GlobalAveragePool",    "Split",   "Pad",       "Reshape", "Squeeze", "Unsqueeze", "Resize", "AveragePool",
    "Concat",  "Softmax",   "Where",   "Gather",  "Transpose", "ConvTranspose",     "Tanh",   "Gelu",
    "InstanceNormalization", "LayerNormalization"};
constexpr std::array kSharers = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "AveragePool", "MaxPool", "Resize"};
constexpr std::array kActivationsBehindKernels = {"Relu", "Clip", "LeakyRelu", "PRelu"};
constexpr std::array kKernels = {"Conv", "Add", "MaxPool", "AveragePool", "GlobalAveragePool", "MatMul", "Gemm", "ConvTranspose"};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Marker {
 public:
  Marker(const Graph& graph, const PlanOptions& options, const EveryOpRules& rules)
      : graph_(graph), options_(options), rules_(rules), selection_(options) {}

  Result<QuantPlan> Run() {
    plan_.target = rules_.target;
    plan_.operators = rules_.operators;
    plan_.bfloat16 = options_.bfloat16;
    plan_.compat = options_.compat;
    plan_.warnings = selection_.WithoutEffect(graph_);
    plan_.dequantize_for_all_readers = true;
    for (const auto& node : graph_.nodes()) {
      NodeDecision decision{node->name, node->op_type, FloatReason::kNone, "", NodeMacs(graph_, *node)};
      if (selection_.Excludes(*node)) {
        decision.reason = FloatReason::kExcluded;
        decision.detail = "excluded by the user";
      } else if (const auto left = options_.left_float.find(node->name); left != options_.left_float.end()) {
        decision.reason = left->second;
        decision.detail = LeftFloatDetail(left->second);
      } else if (!node->domain.empty() || !Contains(kQuantizedOps, node->op_type)) {
        decision.reason = FloatReason::kNoKernel;
        decision.detail = "operator type " + node->op_type + " is not in the target's list";
      } else if (IsMasked(node->output())) {
        decision.reason = FloatReason::kMask;
        decision.detail = kMaskDetail;
      } else {
        Mark(*node);
      }
      plan_.nodes.push_back(std::move(decision));
    }
    for (const auto& node : graph_.nodes()) GuardFromRuntime(*node);
    if (options_.bfloat16.vaiml) KeepInputCastsOnly();
    if (options_.refine_block_axis) RefineBlockAxes(graph_, &plan_);
    InheritRanges(graph_, options_, &plan_);
    PREON_RETURN_IF_ERROR(CheckParams(plan_));
    PREON_RETURN_IF_ERROR(CheckCombinations());
    WarnOfIdleOverrides(options_, &plan_);
    return std::move(plan_);
  }

 private:
  bool Symmetric() const {
    const bool centred = options_.activation.block() != nullptr || IntFormat{options_.activation.type()}.floating();
    return options_.activation_symmetric.value_or(centred || options_.activation == DataType::kInt8);
  }

  // The type of the options. Blocks: along axis 1, that of channels; constants of rank 0 and 1 have one axis.
  template <typename Plan>
  void SetType(const TensorType& type, bool symmetric, Plan& plan) const {
    plan.format = {type.type(), symmetric};
    if (type.block() != nullptr) plan.block = BlockPlan{*type.block()};
  }

  // Values that are rounded to a format as they are.
  template <typename Plan>
  void LeaveUnscaled(bool scaled, Plan& plan) const {
    if (!scaled && IsSixteenBitFloat(plan.format.type) && !plan.params) plan.params = QuantParams{1, 0};
  }

  // Does the operator read its data from a Q/DQ pair?
  bool ReadsPairs(const Node& node) const {
    const auto data = plan_.activations.find(node.input(0));
    return data != plan_.activations.end() && !data->second.block && IsIntType(data->second.format.type) &&
           DataTypeBits(data->second.format.type) <= 16;
  }

  // By default what the runtime leaves alone: it makes integer kernels of operators between pairs, which have neither
  // float8, int32 nor bytes in blocks, and MatMulNBits, which rounds its activations to bytes, of others.
  WeightForm FormOf(const Node& node, const WeightPlan& plan) const {
    if (options_.weight_form) return *options_.weight_form;
    const bool library = rules_.operators == OperatorForm::kLibrary, pairs = ReadsPairs(node);
    const DataType type = plan.format.type;
    if (plan.block) return library ? WeightForm::kOperators : WeightForm::kFolded;
    if (IsSixteenBitFloat(type)) return library ? WeightForm::kOperators : pairs ? WeightForm::kFolded : WeightForm::kPacked;
    if (DataTypeBits(type) == 32) return library ? WeightForm::kOperators : WeightForm::kFolded;
    if (plan.format.floating()) return pairs ? WeightForm::kFolded : WeightForm::kPacked;
    const bool fails = pairs && plan.block_size > 0 && DataTypeBits(type) == 8;
    const bool fuses = !library && !pairs && DataTypeBits(type) <= 8;
    return fails || fuses ? WeightForm::kFolded : WeightForm::kPacked;
  }

  bool IsConstant(const std::string& tensor) const { return graph_.Initializer(tensor) != nullptr; }
  bool Marked(const std::string& tensor) const { return plan_.activations.count(tensor) > 0 || annotated_.count(tensor) > 0; }

  // Scores with a mask in them, on their way to a Softmax.
  bool IsMasked(const std::string& tensor) const {
    return options_.compat == Compat::kOff && FeedsSoftmaxWithMask(graph_, tensor);
  }

  bool IsFloat(const std::string& tensor) const {
    const DataType type = graph_.TypeOf(tensor);
    return type == DataType::kFloat || type == DataType::kUndefined;
  }

  // Output of a kernel that one activation function reads: the pair belongs behind that function.
  bool Annotated(const Node& node) const {
    const std::string& output = node.output();
    if (!Contains(kKernels, node.op_type) || graph_.UseCount(output) != 1 || graph_.IsOutput(output)) return false;
    const Use reader = graph_.Uses(output)[0];
    if (reader.captured || reader.input != 0 || !Contains(kActivationsBehindKernels, reader.node->op_type)) return false;
    if (!reader.node->Is("Clip")) return true;
    const std::optional<Range> bounds = ClampRange(graph_, *reader.node);
    return bounds && bounds->min == 0 && (bounds->max == 6 || bounds->max == 1);
  }

  void MarkActivation(const std::string& tensor, const std::string& shares = "") {
    if (tensor.empty() || !IsFloat(tensor) || IsMasked(tensor)) return;
    ActivationPlan activation;
    activation.scale_type = options_.scale_type;
    SetType(options_.activation, Symmetric(), activation);
    if (!shares.empty() && !activation.block) {
      const auto provider = plan_.activations.find(shares);
      if (provider != plan_.activations.end() && !provider->second.block) activation.shares = provider->second.shares.empty() ? shares : provider->second.shares;
    }
    const auto own = options_.overrides.find(tensor);
    if (own != options_.overrides.end()) {
      activation.shares.clear();
      ApplyOverride(own->second, activation);
    }
    if (activation.source == RangeSource::kObserved) LeaveUnscaled(options_.activation_scaled, activation);
    plan_.activations.try_emplace(tensor, std::move(activation));
  }

  // A tensor that an operator reads: constants take the activation's type, or the weight's for weights.
  void MarkInput(const Node& node, size_t index, bool weight = false, int axis = -1) {
    const std::string& tensor = node.input(index);
    if (tensor.empty() || !IsFloat(tensor)) return;
    if (!IsConstant(tensor)) return MarkActivation(tensor);
    if (graph_.Initializer(tensor)->type() != DataType::kFloat) return;
    WeightPlan& plan = plan_.weights[tensor];
    if (plan.nodes.empty()) {
      const TensorType& type = weight ? options_.weight : options_.activation;
      const bool symmetric = weight ? type.block() == nullptr && IntFormat{type.type()}.q_min() < 0 : Symmetric();
      SetType(type, symmetric, plan);
      plan.scale_type = weight ? options_.scale_type_of_weights() : options_.scale_type;
      plan.rule = options_.weight_rule;
      plan.axis = axis;
      if (weight && options_.block_size && graph_.Initializer(tensor)->shape().size() >= 2) {
        plan.block_size = *options_.block_size;
        plan.axis = axis = ReducedAxis(graph_, node);
      }
      const auto own = options_.overrides.find(tensor);
      if (own != options_.overrides.end()) ApplyOverride(own->second, plan);
      // The runtime's DequantizeLinear takes the difference to the zero point in 32 bits.
      if (plan.format.type == DataType::kInt32) plan.format.symmetric = true;
      LeaveUnscaled(options_.weight_scaled || plan.range, plan);
      if (plan.params || plan.block) plan.axis = axis = -1;
      plan.form = FormOf(node, plan);
    } else if (plan.block_size > 0) {
      axis = ReducedAxis(graph_, node);
    }
    if (plan.axis != axis) plan.axis = -1;
    plan.nodes.push_back(node.name);
  }

  void MarkOutput(const Node& node) {
    if (Annotated(node)) {
      annotated_.insert(node.output());
    } else {
      for (const std::string& output : node.outputs()) MarkActivation(output);
    }
  }

  void MarkShared(const Node& node) {
    if (!Marked(node.input(0))) return;
    for (const std::string& output : node.outputs()) MarkActivation(output, node.input(0));
  }

  void Mark(const Node& node) {
    const std::string& type = node.op_type;
    if (type == "Conv" || type == "ConvTranspose" || type == "Gemm") return MarkLinear(node);
    if (type == "MatMul") {
      MarkInput(node, 0);
      MarkInput(node, 1, true, options_.per_channel ? WeightAxis(graph_, node) : -1);
      return MarkOutput(node);
    }
    if (type == "Relu" || type == "Clip") return MarkClamp(node);
    if (Contains(kSharers, type)) return MarkShared(node);
    if (type == "Gather") {
      if (IsConstant(node.input(0))) MarkInput(node, 0);
      return IsConstant(node.input(0)) ? MarkActivation(node.output()) : MarkShared(node);
    }
    if (type == "Split") {
      MarkInput(node, 0);
      return MarkShared(node);
    }
    if (type == "Where") {
      if (Marked(node.input(1)) && Marked(node.input(2))) MarkActivation(node.output());
      return;
    }
    if (type == "InstanceNormalization" || type == "LayerNormalization") {
      MarkInput(node, 0);
      MarkInput(node, 1, true);
      MarkInput(node, 2, true);
      return MarkActivation(node.output());
    }
    for (size_t index = 0; index < node.inputs().size(); ++index) MarkInput(node, index);
    MarkOutput(node);
    if (type == "Softmax") {
      const auto planned = plan_.activations.find(node.output());
      if (planned == plan_.activations.end() || planned->second.block || planned->second.params) return;
      ActivationPlan& output = planned->second;
      if (output.source == RangeSource::kObserved) output.fixed = {0, 1};   // an override's range stays
      output.source = RangeSource::kFixed;
    }
  }

  void MarkLinear(const Node& node) {
    const bool grouped_transpose = node.Is("ConvTranspose") && node.Int("group", 1) > 1;
    const int axis = node.Is("ConvTranspose") ? 1 : WeightAxis(graph_, node);
    MarkInput(node, 0);
    MarkInput(node, 1, true, options_.per_channel && !grouped_transpose ? axis : -1);
    if (!node.input(2).empty() && IsConstant(node.input(2)) && IsConstant(node.input(1))) {
      const bool encoded = AccumulatesInInt32(node);
      if (!encoded && rules_.operators == OperatorForm::kLibrary) {
        MarkInput(node, 2, true);
      } else if (HasBiasOfChannels(graph_, node)) {
        plan_.biases.push_back({node.name, node.input(2), node.input(0), node.input(1), encoded});
      } else if (encoded) {
        MarkInput(node, 2);
      }
    } else if (!node.input(2).empty() && !IsConstant(node.input(2))) {
      MarkActivation(node.input(2));
    }
    MarkOutput(node);
  }

  // The runtime quantizes float weights and biases of what reads a pair behind the user's back (spec qdq §13.3 A).
  void GuardFromRuntime(const Node& node) {
    if ((!node.Is("Conv") && !node.Is("Gemm")) || !IsConstant(node.input(1)) || !ReadsPairs(node)) return;
    const auto weight = plan_.weights.find(node.input(1));
    const bool has_codes = weight != plan_.weights.end() && weight->second.form == WeightForm::kPacked &&
                           IsIntType(weight->second.format.type);
    const bool bias_encoded = node.input(2).empty() || std::ranges::any_of(plan_.biases, [&](const BiasPlan& bias) {
                                return bias.node == node.name && bias.encoded;
                              });
    if (!has_codes || !bias_encoded) plan_.float_islands.push_back(node.name);
  }

  // What a compiler that computes in bfloat16 needs: inputs in that type, and weights that are of it.
  void KeepInputCastsOnly() {
    const auto is_bfloat16 = [](const auto& plan) { return plan.format.type == DataType::kBFloat16; };
    std::erase_if(plan_.activations, [&](const auto& entry) {
      return is_bfloat16(entry.second) && !graph_.IsInput(entry.first);
    });
    for (auto& [tensor, weight] : plan_.weights) {
      if (is_bfloat16(weight)) weight.form = WeightForm::kFolded;
    }
  }

  // Codes of up to 16 bits with one scale per output: products have the product of both scales.
  bool AccumulatesInInt32(const Node& node) const {
    const auto is_short = [](const auto& plan) {
      return !plan.block && IsIntType(plan.format.type) && DataTypeBits(plan.format.type) <= 16;
    };
    const auto input = plan_.activations.find(node.input(0));
    const auto weight = plan_.weights.find(node.input(1));
    return input != plan_.activations.end() && weight != plan_.weights.end() && is_short(input->second) &&
           is_short(weight->second) && weight->second.block_size == 0 && weight->second.form == WeightForm::kPacked;
  }

  void MarkClamp(const Node& node) {
    const std::string& input = node.input(0);
    if (!Marked(input)) return;
    const bool sole_reader = graph_.UseCount(input) == 1 && graph_.Producer(input) != nullptr && !graph_.IsOutput(input);
    if (!Symmetric() && sole_reader && ClampRange(graph_, node)) {
      plan_.activations.erase(input);
      plan_.folded_clamps.push_back(node.name);
    }
    MarkActivation(node.output());
  }

  Status CheckCombinations() const {
    const auto check = [](const std::string& tensor, const auto& plan, Granularity granularity) {
      const TensorType type = plan.block ? TensorType(plan.block->spec) : TensorType(plan.format.type);
      const ScaleType scales = plan.block || plan.params ? ScaleType::kFloat32 : plan.scale_type;
      return CheckCombination(type, scales, granularity, plan.block || plan.format.symmetric).WithContext(tensor);
    };
    for (const auto& [tensor, plan] : plan_.activations) {
      PREON_RETURN_IF_ERROR(check(tensor, plan, Granularity::kPerTensor));
    }
    for (const auto& [tensor, plan] : plan_.weights) {
      const Granularity granularity = plan.block_size > 0 ? Granularity::kPerBlock
                                      : plan.axis >= 0    ? Granularity::kPerAxis
                                                          : Granularity::kPerTensor;
      PREON_RETURN_IF_ERROR(check(tensor, plan, granularity));
    }
    return Status::Ok();
  }

  const Graph& graph_;
  const PlanOptions& options_;
  const EveryOpRules& rules_;
  const Selection selection_;
  QuantPlan plan_;
  std::set<std::string> annotated_;
};

}  // namespace

Result<QuantPlan> PlanEveryOp(const Model& model, const PlanOptions& options, const EveryOpRules& rules) {
  if (!TakesEveryType(options)) {
    return Error(ErrorId::kNotYetSupported, "--weight ", options.weight.name(), ": only --target matmul-nbits has it");
  }
  return Marker(model.graph, options, rules).Run();
}

}  // namespace preon
