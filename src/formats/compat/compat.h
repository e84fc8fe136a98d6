// Compat: whose numbers come out, where another tool's rule and ours differ (docs/compat.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace preon {

enum class Compat : uint8_t {
  kOff,          ///< ours
  kQuark,        ///< AMD Quark 0.13
  kOnnxRuntime,  ///< those of ONNX Runtime's own quantizer (1.30)
};

/// off/quark/onnxruntime. Errors: kUnknownOption.
Result<Compat> ParseCompat(std::string_view name);
std::vector<std::string> CompatNames();
std::string_view CompatName(Compat compat);

}  // namespace preon
