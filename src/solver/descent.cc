#include "solver/descent.h"

#include <algorithm>

#include "solver/dense.h"

namespace preon {
namespace {

constexpr double kLeastGain = 1e-3;

// Chosen minus optimum.
Matrix ErrorOf(const CodePanel& panel) {
  Matrix error(panel.inputs(), panel.outputs());
  for (size_t i = 0; i < error.values().size(); ++i)
    error.values()[i] = panel.scale.values()[i] * panel.code.values()[i] - panel.optimum.values()[i];
  return error;
}

// One output's codes: `pull` is its row of errorᵀ · curvature. What the form loses in one round.
double Round(const Matrix& curvature, size_t output, std::span<float> pull, CodePanel& panel) {
  double gain = 0;
  for (size_t i = 0; i < pull.size(); ++i) {
    const float scale = panel.scale.at(i, output), curved = curvature.at(i, i);
    float& code = panel.code.at(i, output);
    const float wanted = code - std::clamp(pull[i] / (curved * scale), -1e6F, 1e6F);
    const float chosen =
        NearestInteger(std::min(std::max(wanted, panel.least.at(i, output)), panel.most.at(i, output)));
    const float move = (chosen - code) * scale, won = -move * (2 * pull[i] + curved * move);
    if (won <= 0) continue;  // also where only rounding says that it moves
    AddScaled(move, {curvature.row(i), pull.size()}, pull);
    code = chosen;
    gain += double{won};
  }
  return gain;
}

}  // namespace

void Descend(const Matrix& curvature, int rounds, CodePanel& panel) {
  const Matrix error = ErrorOf(panel);
  Matrix pull(panel.outputs(), panel.inputs());  // half the form's gradient
  AddTransposedProduct(error.view(), curvature.view(), 1, pull.view());
  for (size_t output = 0; output < panel.outputs(); ++output) {
    double form = 0;
    for (size_t i = 0; i < panel.inputs(); ++i) form += double{error.at(i, output)} * double{pull.at(output, i)};
    for (int round = 0; round < rounds; ++round) {
      const double gain = Round(curvature, output, {pull.row(output), panel.inputs()}, panel);
      form -= gain;
      if (gain <= kLeastGain * form) break;
    }
  }
}

}  // namespace preon
