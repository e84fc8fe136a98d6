// Settings of single tensors, as configuration files and Quark write them.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

using TensorOverrides = std::map<std::string, TensorOverride>;

/// {"TENSOR": {"type": "int16", "symmetric": true, "rmin": -1, "rmax": 1, ...}, ...}, setting by setting over those
/// that are there. Errors: kBadConfig with everything that is wrong, kUnknownOption.
Status AddOverrides(TensorOverrides& overrides, const nlohmann::json& tensors);

/// The same in Quark's words: {"TENSOR": [{"quant_type": "QInt8", "axis": 0, ...}, ...], ...}, one entry for
/// the tensor or one for each channel. Errors: as above.
Status AddQuarkOverrides(TensorOverrides& overrides, const std::string& text);

/// {"TYPE": ["TENSOR", ...], ...}. Errors: as above.
Status AddMixedPrecision(TensorOverrides& overrides, const std::string& text);

}  // namespace preon
