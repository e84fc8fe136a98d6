#include "quantize/targets/tensorrt/tensorrt_layers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/str_cat.h"
#include "base/text.h"
#include "passes/support/moves.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

constexpr auto kPointwiseTypes =
    std::to_array<std::string_view>({"Relu", "Clip",    "LeakyRelu",   "PRelu", "Elu",
                                     "Selu", "Sigmoid", "HardSigmoid", "Tanh",  "HardSwish",
                                     "Mish", "Gelu",    "Softplus",    "Erf",   "Abs",
                                     "Neg",  "Exp",     "Sqrt",        "Add",   "Sub",
                                     "Mul",  "Div",     "Min",         "Max",   "BatchNormalization"});
constexpr auto kCommuting =
    std::to_array<std::string_view>({"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Slice",
                                     "Split", "Gather", "Expand", "Tile", "DepthToSpace", "SpaceToDepth"});
constexpr auto kAverages = std::to_array<std::string_view>({"AveragePool", "GlobalAveragePool"});

// Of tensor cores: with fewer rows or columns float is as fast. Source: NVIDIA Model Optimizer 0.4x, onnx
// quantization/graph_utils.py, which leaves such layers in float.
constexpr int64_t kMinMatrix = 16, kMinChannels = 16, kChannelStep = 8, kMinGroupKernel = 3;
// TensorRT 8 has no kernel for grouped transposed convolutions with fewer (github.com/NVIDIA/TensorRT, issue 1934).
constexpr int64_t kMinTransposedChannels = 4;

TensorrtTraits StaysFloat(FloatReason reason, std::string detail) {
  return {TensorrtRole::kFloat, reason, std::move(detail)};
}

TensorrtTraits ClassifyConv(const Graph& graph, const Node& node, const Shape& weight) {
  const int64_t outputs = weight[0], inputs = weight[1], groups = node.Int("group", 1);
  if (outputs >= kMinChannels && inputs >= kMinChannels) return {TensorrtRole::kLayer};
  const Shape kernel(weight.begin() + 2, weight.end());
  if (groups == 1) {
    const bool in_steps = outputs % kChannelStep == 0 || inputs % kChannelStep == 0;
    const bool many = outputs >= kMinChannels || inputs >= kMinChannels || graph.IsInput(node.input(0));
    const bool square = std::ranges::all_of(kernel, [&](int64_t size) { return size == kernel[0]; });
    if (in_steps && many && square) return {TensorrtRole::kLayer};
  } else if (outputs % kChannelStep == 0 &&
             std::ranges::all_of(kernel, [](int64_t size) { return size >= kMinGroupKernel; })) {
    return {TensorrtRole::kLayer};
  }
  return StaysFloat(FloatReason::kNoGain, StrCat(inputs, groups > 1 ? " input channels per group and " : " input and ",
                                                 outputs, " output channels: TensorRT's INT8 kernels gain nothing"));
}

TensorrtTraits ClassifyConvTranspose(const Node& node, const Shape& weight) {
  const int64_t groups = node.Int("group", 1);
  if (groups > 1 && (weight[1] < kMinTransposedChannels || weight[0] / groups < kMinTransposedChannels))
    return StaysFloat(FloatReason::kAttributes,
                      "fewer than 4 channels in a group: TensorRT 8 has no INT8 kernel for it");
  return {TensorrtRole::kLayer};
}

// All rows of the output, over all leading dimensions; nullopt where that depends on the run.
std::optional<int64_t> RowsOf(const Graph& graph, const Node& node) {
  const std::optional<Shape> shape = graph.ShapeOf(node.output());
  if (!shape || shape->empty()) return std::nullopt;
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < shape->size(); ++axis) {
    if ((*shape)[axis] < 0) return std::nullopt;
    rows *= (*shape)[axis];
  }
  return rows;
}

TensorrtTraits ClassifyMatrix(const Graph& graph, const Node& node, const Shape& weight) {
  if (weight.size() < 2) return StaysFloat(FloatReason::kAttributes, "the weight is a vector");
  if (node.Int("transA", 0) != 0) return StaysFloat(FloatReason::kAttributes, "transA is set");
  if (std::min(weight[weight.size() - 1], weight[weight.size() - 2]) < kMinMatrix)
    return StaysFloat(FloatReason::kNoGain, "fewer than 16 inputs or outputs: TensorRT's INT8 kernels gain nothing");
  if (RowsOf(graph, node) == 1)
    return StaysFloat(FloatReason::kNoGain, "a matrix by one vector: TensorRT's INT8 kernels gain nothing");
  return {TensorrtRole::kLayer};
}

TensorrtTraits ClassifyLayer(const Graph& graph, const Node& node) {
  if (graph.Initializer(node.input(0)) != nullptr)
    return StaysFloat(FloatReason::kNotConstant, "the data operand is constant");
  const Tensor* weight = graph.Initializer(node.input(1));
  if (weight == nullptr && node.Is("MatMul"))
    return StaysFloat(FloatReason::kNotConstant, "both operands are computed (attention): TensorRT fuses it in float");
  if (weight == nullptr) return StaysFloat(FloatReason::kNotConstant, "the weight is computed, not constant");
  if (weight->type() != DataType::kFloat)
    return StaysFloat(FloatReason::kType, StrCat("the weight is ", DataTypeName(weight->type()), ", not float32"));
  if (weight->count() == 0) return StaysFloat(FloatReason::kAttributes, "the weight is empty");
  if (node.Is("Conv")) return ClassifyConv(graph, node, weight->shape());
  if (node.Is("ConvTranspose")) return ClassifyConvTranspose(node, weight->shape());
  return ClassifyMatrix(graph, node, weight->shape());
}

bool IsMover(const Graph& graph, const Node& node) {
  if (node.Is("MaxPool")) return node.outputs().size() == 1;
  if (node.Is("Resize") || node.Is("Upsample")) return node.String("mode", "nearest") == "nearest";
  if (node.Is("Pad")) return PadsWithZero(graph, node);
  return Contains(kCommuting, node.op_type);
}

}  // namespace

bool IsConvolution(const Node& node) { return node.Is("Conv") || node.Is("ConvTranspose"); }

int TensorrtWeightAxis(const Graph& graph, const Node& layer) {
  // TensorRT 8 takes no scales per output of a transposed convolution (github.com/NVIDIA/TensorRT, issue 2380).
  return layer.Is("ConvTranspose") ? -1 : WeightAxis(graph, layer);
}

TensorrtTraits ClassifyForTensorrt(const Graph& graph, const Node& node) {
  if (node.HasSubgraph()) return StaysFloat(FloatReason::kSubgraph, "holds a sub-graph, which is kept as it is");
  if (!node.domain.empty())
    return StaysFloat(FloatReason::kNoKernel, StrCat(node.domain, ".", node.op_type, " is not an operator of ONNX"));
  const DataType type = graph.TypeOf(node.output());
  if (type != DataType::kFloat && type != DataType::kUndefined)
    return StaysFloat(FloatReason::kType, StrCat("computes ", DataTypeName(type), ", not float32"));
  if (IsConvolution(node) || node.Is("Gemm") || node.Is("MatMul")) return ClassifyLayer(graph, node);
  if (Contains(kPointwiseTypes, node.op_type)) return {TensorrtRole::kPointwise};
  if (Contains(kAverages, node.op_type)) return {TensorrtRole::kPool};
  if (node.Is("Concat")) return {TensorrtRole::kConcat};
  if (IsMover(graph, node) && graph.Initializer(node.input(0)) == nullptr) return {TensorrtRole::kMover};
  return StaysFloat(FloatReason::kNoKernel, StrCat("TensorRT computes ", node.op_type, " in float"));
}

}  // namespace preon
