#include "lint/lint_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/str_cat.h"
#include "base/text.h"
#include "formats/tensor_type.h"
#include "ir/constant_value.h"

namespace preon {
namespace {

// Operators that the runtime has an integer kernel for, beside those that op_traits.h plans with.
constexpr std::array kAlsoInteger = {"Softmax", "Where"};
// Between a Conv and its Q they leave the Conv in float (docs/design/placement.md, "Integer kernels").
constexpr std::array kActivations = {"LeakyRelu", "PRelu", "Sigmoid", "HardSigmoid", "HardSwish",
                                     "Tanh",      "Elu",   "Gelu",    "Mish",        "Softplus"};
// Of models whose activations get their scales in each run: they and the arithmetic behind them compute in float.
constexpr std::string_view kOfRunTimeScales[] = {"DynamicQuantizeLinear", "ConvInteger", "MatMulInteger"};
// The runtime takes a bias whose scale is off the product of the other two by no more than this.
constexpr double kBiasScaleTolerance = 0.01;

bool IsDequantized(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  return producer != nullptr && producer->op_type == "DequantizeLinear";
}

// Of the codes after a DequantizeLinear; kUndefined where there is no zero point to tell.
DataType CodeType(const Graph& graph, const std::string& tensor) {
  const Node* dequantize = graph.Producer(tensor);
  const DataType type = graph.TypeOf(dequantize->input(0));
  if (type != DataType::kUndefined) return type;
  return dequantize->input(2).empty() ? DataType::kUndefined : graph.TypeOf(dequantize->input(2));
}

// The QuantizeLinear among the readers of a tensor, or null.
const Node* QuantizerOf(const Graph& graph, const std::string& tensor) {
  for (const Use& use : graph.Uses(tensor)) {
    if (!use.captured && use.input == 0 && use.node->op_type == "QuantizeLinear") return use.node;
  }
  return nullptr;
}

const Tensor* ScaleOf(const Graph& graph, const std::string& tensor) {
  const Tensor* scale = graph.Initializer(graph.Producer(tensor)->input(1));
  return scale != nullptr && scale->type() == DataType::kFloat ? scale : nullptr;
}

// Tensors with codes around the node: data inputs, and its output where a Q reads it. Name and type.
std::vector<std::pair<std::string, DataType>> CodesAround(const NodeInContext& at) {
  std::vector<std::pair<std::string, DataType>> codes;
  for (const size_t index : at.data_inputs()) {
    const std::string& input = at.node.input(index);
    if (IsDequantized(at.graph, input)) codes.emplace_back(input, CodeType(at.graph, input));
  }
  if (const Node* quantizer = QuantizerOf(at.graph, at.node.output()))
    codes.emplace_back(at.node.output(), at.graph.TypeOf(quantizer->output()));
  return codes;
}

// Cast, product and bias stand behind an integer product: no more than `way` nodes.
bool IsOfRunTimeScales(const Graph& graph, const Node& node, int way = 3) {
  if (Contains(kOfRunTimeScales, node.op_type)) return true;
  if (way == 0) return false;
  const auto is = [&](const std::string& tensor) {
    const Node* producer = graph.Producer(tensor);
    return producer != nullptr && IsOfRunTimeScales(graph, *producer, way - 1);
  };
  if (node.Is("Cast") || node.Is("Mul")) return std::ranges::any_of(node.inputs(), is);
  const Node* added = node.Is("Add") ? graph.Producer(node.input(1)) : nullptr;
  const bool adds_bias = node.Is("Add") && (added == nullptr || added->Is("Reshape"));
  return adds_bias && is(node.input(0));
}

std::optional<std::string> RunTimeScales(const NodeInContext& at) {
  if (at.node.Is("ConvInteger")) return "its kernel is slower than that of Conv on floats";
  if (!IsOfRunTimeScales(at.graph, at.node)) return std::nullopt;
  return "scales of activations are found in each run, and results multiplied by them";
}

std::optional<std::string> NoKernel(const NodeInContext& at) {
  if (at.traits.role != OpRole::kFloat || Contains(kAlsoInteger, at.node.op_type)) return std::nullopt;
  return at.traits.detail;
}

std::optional<std::string> NoKernelForCodes(const NodeInContext& at) {
  return CodesAround(at).empty() ? std::nullopt : NoKernel(at);
}

bool OnlyMoves(const NodeInContext& at) {
  return at.traits.role == OpRole::kMover || at.traits.role == OpRole::kSharer || at.traits.role == OpRole::kClamp;
}

std::optional<std::string> MovesFloats(const NodeInContext& at) {
  if (!OnlyMoves(at) || IsDequantized(at.graph, at.node.input(0))) return std::nullopt;
  return StrCat("it only moves or clamps the values of '", at.node.input(0), "', which is float");
}

std::optional<std::string> NoInputPair(const NodeInContext& at) {
  for (const size_t index : at.data_inputs()) {
    const std::string& input = at.node.input(index);
    if (!input.empty() && !IsDequantized(at.graph, input))
      return StrCat(IsFloatConstant(at.graph, input) ? "the constant '" : "input '", input,
                    "' has no QuantizeLinear/DequantizeLinear pair");
  }
  return std::nullopt;
}

std::optional<std::string> WideCodes(const NodeInContext& at) {
  for (const auto& [tensor, type] : CodesAround(at)) {
    if (type != DataType::kUndefined && !IsByte(type))
      return StrCat("'", tensor, "' has codes of type ", DataTypeName(type));
  }
  return std::nullopt;
}

std::optional<std::string> WeightForm(const NodeInContext& at) {
  if (!at.is_linear() || at.data_inputs().size() > 1) return std::nullopt;
  const std::string& weight = at.node.input(1);
  if (!IsDequantized(at.graph, weight)) return StrCat("weight '", weight, "' has no DequantizeLinear");
  const DataType type = CodeType(at.graph, weight), data = CodeType(at.graph, at.node.input(0));
  if (type != DataType::kUndefined && !IsByte(type))
    return StrCat("weight '", weight, "' has codes of type ", DataTypeName(type));
  if (type == DataType::kUInt8 && data == DataType::kInt8)
    return StrCat("weight '", weight, "' has uint8 codes, its data int8: no kernel takes this pair");
  const Node& dequantize = *at.graph.Producer(weight);
  if (dequantize.Int("block_size", 0) != 0) return StrCat("weight '", weight, "' has one scale for each block");
  const Tensor* scale = at.graph.Initializer(dequantize.input(1));
  if (scale == nullptr || scale->count() <= 1) return std::nullopt;
  const int wanted = WeightAxis(at.floats, at.in_float);
  const auto rank = static_cast<int64_t>(at.graph.ShapeOf(weight).value_or(Shape()).size());
  const int64_t axis = dequantize.Int("axis", 1);
  if (wanted >= 0 && rank > 0 && (axis < 0 ? axis + rank : axis) != wanted)
    return StrCat("the scales of weight '", weight, "' lie along axis ", axis, ", wanted axis ", wanted);
  return std::nullopt;
}

std::optional<std::string> BiasScale(const NodeInContext& at) {
  if (!at.is_linear() || at.node.input(2).empty()) return std::nullopt;
  const std::string& bias = at.node.input(2);
  if (!IsDequantized(at.graph, bias)) {
    const bool needs_codes = at.node.Is("Gemm") && QuantizerOf(at.graph, at.node.output()) == nullptr;
    return needs_codes ? std::optional(StrCat("bias '", bias, "' is float")) : std::nullopt;
  }
  if (const DataType type = CodeType(at.graph, bias); type != DataType::kInt32 && type != DataType::kUndefined)
    return StrCat("bias '", bias, "' has codes of type ", DataTypeName(type), ", wanted int32");
  const Tensor *data = ScaleOf(at.graph, at.node.input(0)), *weight = ScaleOf(at.graph, at.node.input(1)),
               *own = ScaleOf(at.graph, bias);
  if (data == nullptr || weight == nullptr || own == nullptr || data->count() != 1) return std::nullopt;
  if (own->count() != weight->count())
    return StrCat("bias '", bias, "' has ", own->count(), " scales, its weight ", weight->count());
  for (int64_t index = 0; index < own->count(); ++index) {
    const double wanted = static_cast<double>(data->floats()[0]) * weight->floats()[static_cast<size_t>(index)];
    const double got = own->floats()[static_cast<size_t>(index)];
    if (std::abs(got - wanted) > kBiasScaleTolerance * std::abs(wanted))
      return StrCat("the scale of bias '", bias, "' is ", got, ", wanted input scale x weight scale = ", wanted);
  }
  return std::nullopt;
}

std::optional<std::string> ClampBeforePair(const NodeInContext& at) {
  const Node* reader = OnlyReader(at.graph, at.node.output());
  if (!at.is_linear() || reader == nullptr || !ClampRange(at.graph, *reader)) return std::nullopt;
  const std::optional<CodedTensor> codes = QuantizedInto(at.graph, reader->output());
  if (!codes || !codes->is_byte()) return std::nullopt;
  return StrCat("the codes after ", reader->op_type, " '", reader->name, "' reach beyond its bounds");
}

std::optional<std::string> ActivationBeforePair(const NodeInContext& at) {
  const Node* reader = OnlyReader(at.graph, at.node.output());
  if (!at.is_linear() || reader == nullptr) return std::nullopt;
  if (Contains(kActivations, reader->op_type))
    return StrCat(reader->op_type, " '", reader->name, "' stands between it and the next QuantizeLinear");
  if (!ClampRange(at.graph, *reader) || QuantizerOf(at.graph, reader->output()) == nullptr) return std::nullopt;
  if (OnlyReader(at.graph, reader->output()) != nullptr)
    return StrCat("the codes after ", reader->op_type, " '", reader->name, "' reach beyond its bounds");
  return StrCat("the result of ", reader->op_type, " '", reader->name,
                "' has other readers besides its QuantizeLinear");
}

std::optional<std::string> NoOutputPair(const NodeInContext& at) {
  if (at.node.Is("MatMul") || (at.node.Is("Gemm") && !NeedsQuantizedOutput(at.graph, at.node))) return std::nullopt;
  const std::string& output = at.node.output();
  if (at.graph.IsOutput(output)) return StrCat("its result '", output, "' is an output of the model in float");
  if (QuantizerOf(at.graph, output) == nullptr) return StrCat("no QuantizeLinear reads its result '", output, "'");
  if (OnlyQuantizer(at.graph, output) == nullptr)
    return StrCat("its result '", output, "' has other readers besides one QuantizeLinear");
  return std::nullopt;
}

bool KeepsCodes(const NodeInContext& at) {
  const std::optional<CodedTensor> before = DequantizedFrom(at.graph, at.node.input(0)),
                                   behind = QuantizedInto(at.graph, at.node.output());
  return before && behind && SameMeaning(at.graph, *before, *behind);
}

std::optional<std::string> CodesChange(const NodeInContext& at) {
  if (!OnlyMoves(at)) return std::nullopt;
  if (at.traits.role == OpRole::kClamp) return "its bounds are not those of the codes around it";
  if (KeepsCodes(at)) return std::nullopt;
  return "scale or zero point of its input and its result differ";
}

// Pad and its like between equal codes: nothing is lost but the time of the node itself.
std::optional<std::string> KeepsCodesInFloat(const NodeInContext& at) {
  if (at.traits.role != OpRole::kSharer || !KeepsCodes(at)) return std::nullopt;
  return at.traits.detail;
}

std::optional<std::string> TypesDiffer(const NodeInContext& at) {
  const auto codes = CodesAround(at);
  for (const auto& [tensor, type] : codes) {
    if (type != codes[0].second)
      return StrCat("'", codes[0].first, "' has ", DataTypeName(codes[0].second), " codes, '", tensor, "' ",
                    DataTypeName(type));
  }
  return std::nullopt;
}

std::optional<std::string> SignedActivations(const NodeInContext& at) {
  for (const auto& [tensor, type] : CodesAround(at)) {
    if (type == DataType::kInt8) return StrCat("'", tensor, "' has int8 codes");
  }
  return std::nullopt;
}

std::optional<std::string> Unexplained(const NodeInContext&) { return "no known cause; please report the model"; }

constexpr LintRule kLintRules[] = {
    {"run_time_scales", "quantize the float model with calibration samples, which give fixed scales", "", RunTimeScales,
     true},
    {"no_kernel", "remove the Q/DQ pairs around these nodes", "", NoKernelForCodes, true},
    {"no_kernel", "", "", NoKernel, true},
    {"moves_floats", "", "", MovesFloats},
    {"no_input_pair", "put a QuantizeLinear/DequantizeLinear pair in front of each data input", "", NoInputPair},
    {"wide_codes", "use codes of 8 bits where speed matters: no kernel computes on wider ones", "", WideCodes},
    {"weight_form", "store the weight as int8 codes with one scale, or one for each output channel", "", WeightForm},
    {"bias_scale", "store the bias as int32 codes with the scale input scale x weight scale", "int32_biases",
     BiasScale},
    {"clamp_before_pair", "clamp the codes after the QuantizeLinear, or put the zero point at the lowest code",
     "clamp_codes", ClampBeforePair},
    {"activation_before_pair", "put a pair between the node and the activation function", "", ActivationBeforePair},
    {"no_output_pair", "put one QuantizeLinear after the node and let all readers read its DequantizeLinear", "",
     NoOutputPair},
    {"codes_change",
     "give the result the scale and zero point of the input; quantize only after Relu and Clip, with the zero point "
     "at the lowest code",
     "", CodesChange},
    {"no_kernel", "", "", KeepsCodesInFloat, true},
    {"types_differ", "use the same type of codes around the node", "unsigned_activations", TypesDiffer},
    {"signed_activations", "use uint8 activations: the same values with the zero point moved by 128",
     "unsigned_activations", SignedActivations},
    {"unexplained", "", "", Unexplained},
};

}  // namespace

std::vector<size_t> NodeInContext::data_inputs() const {
  if (node.Is("MatMul") && floats.Initializer(in_float.input(1)) == nullptr) return {0, 1};
  if (node.Is("Where")) return {1, 2};
  return DataInputs(node);
}

std::span<const LintRule> LintRules() { return kLintRules; }

const LintRule& RuleNamed(std::string_view name) { return *std::ranges::find(kLintRules, name, &LintRule::name); }

Graph WithoutPairs(const Graph& graph) {
  Graph floats = graph;
  for (const auto& node : floats.nodes()) {
    if (node->op_type != "DequantizeLinear") continue;
    std::string source;
    const Node* quantizer = floats.Producer(node->input(0));
    if (quantizer != nullptr && quantizer->op_type == "QuantizeLinear") {
      source = quantizer->input(0);
    } else if (const Tensor* codes = floats.Initializer(node->input(0))) {
      source = floats.UniqueTensorName(node->output() + "_value");
      floats.SetInitializer(source, Tensor::Allocate(DataType::kFloat, codes->shape()));
    }
    if (source.empty()) continue;
    for (const Use& use : floats.Uses(node->output())) {
      if (!use.captured) floats.SetInput(use.node, use.input, source);
    }
  }
  return floats;
}

}  // namespace preon
