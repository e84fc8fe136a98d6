// What the CPU runtime can execute on integer codes, operator by operator (observed with ONNX Runtime 1.30;
// docs/design/placement.md, "Integer kernels").
#pragma once

#include <optional>
#include <string>

#include "formats/int_format.h"
#include "ir/graph.h"
#include "quantize/plan/float_reason.h"

namespace preon {

/// The part an operator can play in an integer graph.
enum class OpRole {
  kAnchor,   ///< Conv, Gemm, MatMul: the reason to quantize at all
  kCarrier,  ///< integer kernel with a scale of its own at the output: Add, Mul, Sigmoid, Concat, pooling by average…
  kMover,    ///< runs on the codes unchanged when input and output share scale and zero point: Reshape, MaxPool…
  kSharer,   ///< float operator whose result fits its input's scale: Pad, with zeros or what is there
  kClamp,    ///< Relu, Clip: absorbed by the producer's codes
  kFloat,    ///< no integer kernel
};

struct OpTraits {
  OpRole role = OpRole::kFloat;
  FloatReason reason = FloatReason::kNoKernel;  ///< why, when the role is kFloat
  std::string detail;
};

/// Is the tensor a sum or choice of scores and mask that a Softmax reads?
bool FeedsSoftmaxWithMask(const Graph& graph, const std::string& tensor);
inline constexpr char kMaskDetail[] =
    "feeds Softmax: one scale for scores and mask would round all scores to the same value";

/// Is its output of a floating-point type other than float32, and no input of float32?
bool ComputesOtherFloats(const Graph& graph, const Node& node);

/// Is one of its outputs float, or of an unknown type, which may be float? Others are shape arithmetic and indices,
/// neither integer nor float to a user.
bool WorksOnFloats(const Graph& graph, const Node& node);

/// Judges the node alone: operator, attributes, constant operands, element types.
OpTraits ClassifyForOrtCpu(const Graph& graph, const Node& node);

/// Does a Pad of floats add the value 0, or values of its input (modes edge, reflect, wrap)?
bool PadsWithZeroOrOwn(const Graph& graph, const Node& pad);

/// A Conv each of whose outputs reads one channel.
bool IsDepthwise(const Graph& graph, const Node& node);

/// Indices of the inputs that carry quantizable data (without weights, biases, shapes, indices).
std::vector<size_t> DataInputs(const Node& node);

/// True when the runtime uses an integer kernel only with a Q at the node's output. Conv always; MatMul never; Gemm
/// where an activation function reads it, because the runtime fuses that pair into a float operator otherwise.
bool NeedsQuantizedOutput(const Graph& graph, const Node& node);

/// Bounds of a Relu or of a Clip with constant bounds; nullopt for other nodes.
std::optional<Range> ClampRange(const Graph& graph, const Node& node);

/// Per-channel axis of a Conv/Gemm/MatMul weight that the runtime's kernels accept; -1 = per tensor only.
int WeightAxis(const Graph& graph, const Node& node);

/// Is input 2 of such an operator a bias, where it has one? Not only of those with integer kernels.
bool HasBiasAtInput2(const Node& node);

/// Is input 2 of a Conv, ConvTranspose or Gemm with constant operands one value for all or for each output? What a Gemm
/// adds may be more. False for other nodes.
bool HasBiasOfChannels(const Graph& graph, const Node& node);

/// Is one of its constants a single infinity, as masks are?
bool ReadsInfinity(const Graph& graph, const Node& node);

}  // namespace preon
