// The QOperator form: integer operators that carry scales and zero points themselves, instead of DequantizeLinear →
// float operator → QuantizeLinear, which a runtime first has to recognize.
#pragma once

#include "ir/graph.h"

namespace preon {

/// How integer operators are written.
enum class QuantFormat : uint8_t { kQdq, kQOperator };

/// Rewrites a finished Q/DQ model: groups that ONNX Runtime would fuse become the operators that it would make of them,
/// so outputs are those of the Q/DQ model as the runtime optimizes it; everything else stays float between Q and DQ.
/// Nodes keep their names.
///
/// Operators: QLinearConv, QLinearMatMul; com.microsoft QGemm, MatMulIntegerToFloat (no Q behind), QLinearAdd,
/// QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax, QLinearAveragePool, QLinearGlobalAveragePool,
/// QLinearConcat, QLinearWhere; what only moves values (MaxPool, Reshape, Resize, …) and ArgMax run on the codes.
/// Conditions: bytes; one scale per tensor but for weights; types as the kernels have them; alpha and beta 1.
/// Numerics: a bias has the scale of its products: codes of another scale are rounded to it, unless they would not fit.
/// Source: spec qdq §13.2, graph-passes §8.
Status ToQOperator(Model& model);

}  // namespace preon
