// ScalarFunction: what an operator does to each element, where that depends on the element alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace preon {

/// g(x), or x · g(x) (SiLU, hard swish; not with tanh, whose product is symmetric: neither of a sample's extremes of x
/// alone tells the result's).
struct ScalarFunction {
  enum class Gate : uint8_t { kSigmoid, kTanh, kHardSigmoid };
  static constexpr int kGates = 3;

  Gate gate = Gate::kSigmoid;
  float alpha = 0, beta = 0;  ///< of HardSigmoid: min(1, max(0, alpha · x + beta)), alpha > 0
  bool times_input = false;

  double operator()(double x) const;
  /// Smallest and largest value over [low, high].
  std::pair<double, double> Extremes(double low, double high) const;
  /// out[i] = f(x[i]) as a runtime computes it: in float, up to rounding. x finite. In place is not possible.
  void Apply(const float* x, size_t count, float* out) const;
  bool operator==(const ScalarFunction&) const = default;
};

}  // namespace preon
