// Quant: the fake quantization of QONNX (domain qonnx.custom_op.general), x, scale, zero point, bits -> y.
#pragma once

#include <string>

#include "handover/rounded_tensor.h"
#include "ir/graph.h"

namespace preon {

inline constexpr const char* kQonnxDomain = "qonnx.custom_op.general";

/// A Quant node that reads `from` and writes what `dequantizer` wrote, which goes. Scale, zero point and bits are the
/// constants NAME_quant_scale, NAME_quant_zero_point and
/// NAME_quant_bits, of shapes that broadcast to the tensor's.
/// Errors: kFormatAxis where the scales do not fit its shape.
Result<Node*> ReplaceByQuantNode(Graph& graph, Node& dequantizer, const std::string& from, const RoundedTensor& tensor);

}  // namespace preon
