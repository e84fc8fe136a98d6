#include "quantize/plan/op_traits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "passes/support/clamp.h"

namespace preon {
namespace {

constexpr std::array kCarriers = {"Add", "Mul", "Sigmoid", "LeakyRelu", "AveragePool", "GlobalAveragePool", "Concat"};
constexpr std::array kMovers = {"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze",     "Unsqueeze",
                                "Gather",  "Slice",   "Split",   "Expand",    "DepthToSpace"};

// Activation functions that the runtime fuses with a Gemm in front of them (GemmActivationFusion).
constexpr std::array kFusedBehindGemm = {"Relu",        "LeakyRelu", "Sigmoid",  "Tanh",     "Elu",
                                         "HardSigmoid", "Selu",      "Softplus", "Softsign", "ThresholdedRelu"};

OpTraits Float(FloatReason reason, std::string detail) { return {OpRole::kFloat, reason, std::move(detail)}; }

// A constant float32 operand of the wanted rank (0 = any), or the reason why the node stays float.
std::optional<OpTraits> RejectWeight(const Graph& graph, const Node& node, size_t index, size_t rank) {
  const Tensor* weight = graph.Initializer(node.input(index));
  if (weight == nullptr) return Float(FloatReason::kNotConstant, "the weight is computed, not constant");
  if (weight->type() != DataType::kFloat) {
    return Float(FloatReason::kType, "the weight is " + std::string(DataTypeName(weight->type())) + ", not float32");
  }
  if (rank != 0 && weight->shape().size() != rank) {
    return Float(FloatReason::kAttributes, "the weight has rank " + std::to_string(weight->shape().size()));
  }
  if (weight->count() == 0) return Float(FloatReason::kAttributes, "the weight is empty");
  return std::nullopt;
}

// Saved nanoseconds of an integer 3-D convolution against a float one, per position and kernel element of a group: the
// integer kernel copies its input once per kernel element, at a cost that few channels don't repay (measured:
// docs/design/placement.md).
constexpr double kSavedNsPerMac = 0.012, kSavedNsPerInput = 0.1, kCopyNs = 7;

bool IsSlow3dConv(const Graph& graph, const Node& node) {
  const Shape& weight = graph.Initializer(node.input(1))->shape();
  if (weight.size() != 5) return false;
  const auto inputs = static_cast<double>(weight[1]);
  const auto outputs = static_cast<double>(weight[0] / std::max<int64_t>(node.Int("group", 1), 1));
  return inputs * (kSavedNsPerMac * outputs + kSavedNsPerInput) < kCopyNs;
}

OpTraits ClassifyConv(const Graph& graph, const Node& node) {
  if (auto rejected = RejectWeight(graph, node, 1, 0)) return *rejected;
  const std::string& bias = node.input(2);
  if (!bias.empty() && graph.Initializer(bias) == nullptr) {
    return Float(FloatReason::kNotConstant, "the bias is computed, not constant");
  }
  if (IsSlow3dConv(graph, node))
    return Float(FloatReason::kNoGain,
                 "few channels: the runtime's integer 3-D convolution is slower than the float one");
  return {OpRole::kAnchor};
}

OpTraits ClassifyGemm(const Graph& graph, const Node& node) {
  if (auto rejected = RejectWeight(graph, node, 1, 2)) return *rejected;
  if (node.Float("alpha", 1) != 1) return Float(FloatReason::kAttributes, "alpha is not 1");
  if (node.Int("transA", 0) != 0) return Float(FloatReason::kAttributes, "transA is set");
  const std::string& bias_name = node.input(2);
  if (bias_name.empty()) return {OpRole::kAnchor};
  const Tensor* bias = graph.Initializer(bias_name);
  if (bias == nullptr) return Float(FloatReason::kNotConstant, "the addend C is computed, not constant");
  const Shape& weight = graph.Initializer(node.input(1))->shape();
  const int64_t columns = node.Int("transB", 0) != 0 ? weight[0] : weight[1];
  const Shape& shape = bias->shape();
  const bool per_column = shape.empty() || (shape.size() == 1 && (shape[0] == columns || shape[0] == 1)) ||
                          (shape.size() == 2 && shape[0] == 1 && (shape[1] == columns || shape[1] == 1));
  if (!per_column) return Float(FloatReason::kAttributes, "the addend C differs from row to row");
  return {OpRole::kAnchor};
}

OpTraits ClassifyMatMul(const Graph& graph, const Node& node) {
  if (graph.Initializer(node.input(1)) == nullptr) {
    return Float(FloatReason::kNoGain, "both operands are computed (attention): float keeps accuracy and is as fast");
  }
  if (auto rejected = RejectWeight(graph, node, 1, 2)) return *rejected;
  return {OpRole::kAnchor};
}

OpTraits ClassifyResize(const Node& node) {
  if (node.String("mode", "nearest") != "nearest") return Float(FloatReason::kNoKernel, "interpolation runs in float");
  return {OpRole::kMover};
}

OpTraits ClassifyPad(const Graph& graph, const Node& node) {
  if (!PadsWithZeroOrOwn(graph, node)) return Float(FloatReason::kNoKernel, "Pad runs in float");
  return {OpRole::kSharer, FloatReason::kNoKernel,
          "the runtime computes Pad in float; its output has the scale of its input"};
}

OpTraits ClassifyCarrier(const Graph& graph, const Node& node) {
  for (size_t index : DataInputs(node)) {
    const Tensor* constant = graph.Initializer(node.input(index));
    if (constant != nullptr && constant->type() != DataType::kFloat) {
      return Float(FloatReason::kType, "a constant operand is not float32");
    }
  }
  if (node.op_type == "Add" || node.op_type == "Mul") {
    if (std::all_of(node.inputs().begin(), node.inputs().end(),
                    [&](const std::string& input) { return graph.Initializer(input) != nullptr; })) {
      return Float(FloatReason::kNoGain, "all operands are constant");
    }
  }
  return {OpRole::kCarrier};
}

// Of a layer: a constant is added to what constant weights give.
bool AddsBias(const Graph& graph, const Node& node) {
  const auto is_layer = [&](const std::string& tensor) {
    const Node* producer = graph.Producer(tensor);
    return producer != nullptr && producer->Is("MatMul") && graph.Initializer(producer->input(1)) != nullptr;
  };
  const auto adds = [&](size_t bias) {
    return graph.Initializer(node.input(bias)) != nullptr && is_layer(node.input(1 - bias));
  };
  return node.Is("Add") && (adds(0) || adds(1));
}

// Other domains are the user's, of a library or of functions in the model.
bool IsOfRuntime(std::string_view domain) {
  return domain.starts_with("ai.onnx.") || domain.starts_with("com.microsoft");
}

}  // namespace

bool FeedsSoftmaxWithMask(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  if (producer == nullptr || (!producer->Is("Add") && !producer->Is("Where")) || AddsBias(graph, *producer))
    return false;
  return std::ranges::any_of(graph.Uses(tensor),
                             [](const Use& use) { return !use.captured && use.node->Is("Softmax"); });
}

bool ComputesOtherFloats(const Graph& graph, const Node& node) {
  const auto is_float = [&](const std::string& tensor) { return graph.TypeOf(tensor) == DataType::kFloat; };
  return IsFloatingType(graph.TypeOf(node.output())) && !is_float(node.output()) &&
         std::ranges::none_of(node.inputs(), is_float);
}

bool WorksOnFloats(const Graph& graph, const Node& node) {
  return std::ranges::any_of(node.outputs(), [&](const std::string& output) {
    const DataType type = graph.TypeOf(output);
    return type == DataType::kUndefined || IsFloatingType(type);
  });
}

OpTraits ClassifyForOrtCpu(const Graph& graph, const Node& node) {
  if (node.HasSubgraph()) return Float(FloatReason::kSubgraph, "holds a sub-graph, which is kept as it is");
  if (node.IsFlatIf()) return Float(FloatReason::kNoKernel, "only chooses between the outputs of its branches");
  if (IsOfRuntime(node.domain))
    return Float(FloatReason::kNoKernel, "the runtime computes " + node.domain + "." + node.op_type + " in float only");
  if (!node.domain.empty())
    return Float(FloatReason::kNoKernel,
                 node.domain + "." + node.op_type + " is not an operator of ONNX: it is computed in float");
  const DataType type = graph.TypeOf(node.output());
  if (type != DataType::kFloat && type != DataType::kUndefined) {
    return Float(FloatReason::kType, "computes " + std::string(DataTypeName(type)) + ", not float32");
  }
  const bool linear = node.op_type == "Conv" || node.op_type == "Gemm" || node.op_type == "MatMul";
  if (linear && graph.Initializer(node.input(0)) != nullptr)
    return Float(FloatReason::kNotConstant, "the data operand is constant");
  if (node.op_type == "Conv") return ClassifyConv(graph, node);
  if (node.op_type == "Gemm") return ClassifyGemm(graph, node);
  if (node.op_type == "MatMul") return ClassifyMatMul(graph, node);
  if (node.op_type == "Resize") return ClassifyResize(node);
  if (node.op_type == "Pad") return ClassifyPad(graph, node);
  if (ClampRange(graph, node)) return {OpRole::kClamp};
  if (Contains(kCarriers, node.op_type)) return ClassifyCarrier(graph, node);
  if (Contains(kMovers, node.op_type)) {
    if (node.op_type == "MaxPool" && node.outputs().size() > 1)
      return Float(FloatReason::kNoKernel, "also computes indices");
    if (graph.Initializer(node.input(0)) != nullptr) return Float(FloatReason::kNoGain, "reads a constant");
    return {OpRole::kMover};
  }
  return Float(FloatReason::kNoKernel, "the runtime computes " + node.op_type + " in float only");
}

bool PadsWithZeroOrOwn(const Graph& graph, const Node& pad) {
  if (pad.String("mode", "constant") != "constant" || pad.input(2).empty()) return true;
  const Tensor* value = graph.Initializer(pad.input(2));
  return value != nullptr && value->type() == DataType::kFloat && value->count() == 1 && value->floats()[0] == 0;
}

bool IsDepthwise(const Graph& graph, const Node& node) {
  const Tensor* weight = node.Is("Conv") ? graph.Initializer(node.input(1)) : nullptr;
  return weight != nullptr && weight->shape().size() > 2 && weight->shape()[1] == 1 && node.Int("group", 1) > 1;
}

std::vector<size_t> DataInputs(const Node& node) {
  if (node.op_type == "Add" || node.op_type == "Mul") return {0, 1};
  if (node.op_type == "Concat") {
    std::vector<size_t> all(node.inputs().size());
    for (size_t index = 0; index < all.size(); ++index) all[index] = index;
    return all;
  }
  return {0};
}

bool HasBiasAtInput2(const Node& node) {
  constexpr std::array kOpTypes = {
      "Conv", "ConvTranspose", "Gemm", "InstanceNormalization", "LayerNormalization", "BatchNormalization"};
  return Contains(kOpTypes, node.op_type);
}

bool NeedsQuantizedOutput(const Graph& graph, const Node& node) {
  if (node.Is("Conv")) return true;
  if (!node.Is("Gemm") || graph.UseCount(node.output()) != 1) return false;
  const std::vector<Use> readers = graph.Uses(node.output());
  return !readers.empty() && Contains(kFusedBehindGemm, readers[0].node->op_type);
}

std::optional<Range> ClampRange(const Graph& graph, const Node& node) {
  if (!node.Is("Relu") && !node.Is("Clip")) return std::nullopt;
  const std::optional<ClampBounds> bounds = MatchClamp(graph, node);
  if (!bounds) return std::nullopt;
  return Range{bounds->low, bounds->high};
}

int WeightAxis(const Graph& graph, const Node& node) {
  if (node.op_type == "Conv") return 0;
  if (node.op_type == "Gemm") return node.Int("transB", 0) != 0 ? 0 : 1;
  if (node.op_type == "MatMul") {
    const std::optional<Shape> shape = graph.ShapeOf(node.input(1));
    return shape && shape->size() == 2 ? 1 : -1;
  }
  return -1;
}

bool HasBiasOfChannels(const Graph& graph, const Node& node) {
  if (!node.Is("Conv") && !node.Is("ConvTranspose") && !node.Is("Gemm")) return false;  // a normalization
  const Shape& weight = graph.Initializer(node.input(1))->shape();
  const int64_t outputs = node.Is("ConvTranspose") ? weight[1] * node.Int("group", 1)
                                                   : weight[static_cast<size_t>(WeightAxis(graph, node))];
  const Shape& bias = graph.Initializer(node.input(2))->shape();
  const int64_t count = ElementCount(bias);
  return count == 1 || (count == outputs && (bias.size() < 2 || bias.back() == outputs));
}

bool ReadsInfinity(const Graph& graph, const Node& node) {
  return std::ranges::any_of(node.inputs(), [&](const std::string& input) {
    const Tensor* value = graph.Initializer(input);
    return value != nullptr && value->type() == DataType::kFloat && value->count() == 1 &&
           std::isinf(value->floats()[0]);
  });
}

}  // namespace preon
