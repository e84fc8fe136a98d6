// Writes the nodes and constants of dynamic quantization, under the names of ONNX Runtime's quantizer.
#pragma once

#include "quantize/plan/quant_plan.h"

namespace preon {

/// The plan's dynamic nodes become integer operators:
///   MatMul → DynamicQuantizeLinear → MatMulInteger → Cast → Mul(s_x·s_w), Conv likewise with ConvInteger (→ Add of the
///   bias); Gather of a table → Gather of its codes → DequantizeLinear, or Cast → Mul(Gather(scale per row)); LSTM,
///   Attention, EmbedLayerNormalization → com.microsoft DynamicQuantizeLSTM, QAttention, QEmbedLayerNormalization.
/// Errors: those of constants, kQuantizeFailed, kRangeInvalid.
Status WriteDynamic(Model& model, const QuantPlan& plan);

}  // namespace preon
