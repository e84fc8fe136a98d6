// Scales and zero points of tensors as AIMET writes them ("encodings"): what a trainer hands back.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

/// Reads a JSON file of version 0.6.1, 1.0.0 or 2.0.0 (AIMET 2: "Quantization simulation encodings").
///
/// @return  for each tensor its type, and `params` or `channel_params`; `axis` and `block_size` where the file says
///          them (2.0.0). Entries of floating types are left out: their tensors are not quantized.
/// Errors: kFileNotFound and its like; kBadConfig with the tensor and what is wrong; kNotYetSupported for vectors and
/// blocks with scales of two levels.
Result<std::map<std::string, TensorOverride>> LoadEncodings(const std::string& path);

}  // namespace preon
