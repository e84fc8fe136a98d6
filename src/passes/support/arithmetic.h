// Arithmetic: how a pass computes constants.
#pragma once

namespace preon {

enum class Arithmetic {
  kDouble,  ///< in double, rounded once to float
  kFloat,   ///< each step in float, as Quark and ONNX Runtime do
};

}  // namespace preon
