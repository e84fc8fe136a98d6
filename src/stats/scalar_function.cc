#include "stats/scalar_function.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "kernels/sigmoid.h"

namespace preon {
namespace {

// Where x · sigmoid(x) is smallest: 1 + x = -exp(x).
constexpr double kSiluTurn = -1.2784645427610738;

double GateOf(const ScalarFunction& f, double x) {
  switch (f.gate) {
    case ScalarFunction::Gate::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case ScalarFunction::Gate::kTanh:
      return std::tanh(x);
    case ScalarFunction::Gate::kHardSigmoid:
      return std::clamp(static_cast<double>(f.alpha) * x + static_cast<double>(f.beta), 0.0, 1.0);
  }
  PREON_CHECK(false);
}

}  // namespace

double ScalarFunction::operator()(double x) const { return times_input ? x * GateOf(*this, x) : GateOf(*this, x); }

std::pair<double, double> ScalarFunction::Extremes(double low, double high) const {
  std::pair<double, double> extremes = std::minmax((*this)(low), (*this)(high));
  if (!times_input) return extremes;  // every gate is monotone
  PREON_CHECK(gate != Gate::kTanh);
  const auto visit = [&](double turn) {
    if (turn <= low || turn >= high) return;
    extremes.first = std::min(extremes.first, (*this)(turn));
    extremes.second = std::max(extremes.second, (*this)(turn));
  };
  if (gate == Gate::kSigmoid) visit(kSiluTurn);
  if (gate == Gate::kHardSigmoid) {
    const double a = static_cast<double>(alpha), b = static_cast<double>(beta);
    for (const double turn : {-b / a, (1 - b) / a, -b / (2 * a)}) visit(turn);  // its corners, the parabola between
  }
  return extremes;
}

void ScalarFunction::Apply(const float* x, size_t count, float* out) const {
  if (gate == Gate::kSigmoid) {
    Sigmoids(x, count, out);
  } else {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(GateOf(*this, static_cast<double>(x[i])));
  }
  if (!times_input) return;
  for (size_t i = 0; i < count; ++i) out[i] *= x[i];
}

}  // namespace preon
