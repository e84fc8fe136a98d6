// Arithmetic: how a pass computes constants.
#pragma once

namespace preon {

inline constexpr float kDefaultEpsilon = 1e-5f;

struct Arithmetic {
  bool in_float = false;  ///< each step in float, as Quark and ONNX Runtime do; else in double, rounded once
  /// Of a BatchNormalization without the attribute, behind no convolution: ONNX's default.
  float missing_epsilon = kDefaultEpsilon;
  float missing_epsilon_transposed = kDefaultEpsilon;  ///< the same, behind a ConvTranspose
};

/// Of Quark 0.13.
inline constexpr Arithmetic kQuarkArithmetic{.in_float = true, .missing_epsilon = 1e-10f};

}  // namespace preon
