// A quantized model of a float16 source that computes in float16 (Quark's UseFP32Scale=false).
#pragma once

#include <cstdint>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// The first with QuantizeLinear and DequantizeLinear of float16.
inline constexpr int64_t kOpsetOfFloat16Scales = 19;

/// The inverse of ConvertFloat16 (passes/convert_float16.h) behind quantization: float32 tensors become float16, scales
/// too, and Casts at the border go. Scales for which float16 has no normal number stay float32, with Casts around
/// their quantizer.
/// @return  the number of such scales
/// Errors: kNotYetSupported for nodes that compute in float32 alone, sub-graphs, and constants beyond float16; the
/// model is then unchanged.
Result<int64_t> ComputeInFloat16(Model& model);

}  // namespace preon
