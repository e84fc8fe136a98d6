#include "solver/quadratic.h"

#include <algorithm>
#include <numeric>

#include "solver/dense.h"

namespace preon {
namespace {

double MeanDiagonal(const Matrix& matrix) {
  double sum = 0;
  for (size_t i = 0; i < matrix.rows(); ++i) sum += double{matrix.at(i, i)};
  return matrix.rows() == 0 ? 0 : sum / static_cast<double>(matrix.rows());
}

// What the outputs of a part win by a share of the step is quadratic in the share: takes the best, from nothing to all.
void ShortenAsSeen(const JudgingSums& seen, size_t parts, const ParallelFor& parallel_for, Matrix& step) {
  std::vector<JudgingSums::Parts> by_output(step.columns());
  ForColumns(step.columns(), parallel_for, [&](size_t first, size_t count) {
    std::vector<size_t> outputs(count);
    std::iota(outputs.begin(), outputs.end(), first);
    Matrix some(step.rows(), count);
    for (size_t i = 0; i < step.rows(); ++i) std::copy_n(step.row(i) + first, count, some.row(i));
    std::ranges::copy(seen.PartsOf(some, outputs), by_output.begin() + static_cast<std::ptrdiff_t>(first));
  });
  const size_t outputs = step.columns() / parts;
  std::vector<float> shares;
  for (size_t part = 0; part < parts; ++part) {
    JudgingSums::Parts all;
    for (size_t j = part * outputs; j < (part + 1) * outputs; ++j) {
      all.curved += by_output[j].curved;
      all.wanted += by_output[j].wanted;
    }
    shares.push_back(all.curved > 0 ? static_cast<float>(std::clamp(all.wanted / all.curved, 0.0, 1.0)) : 0);
  }
  for (size_t i = 0; i < step.rows(); ++i) {
    for (size_t j = 0; j < step.columns(); ++j) step.at(i, j) *= shares[j / outputs];
  }
}

}  // namespace

void Shrink(Matrix& covariance, float share) {
  for (size_t i = 0; i < covariance.rows(); ++i) {
    for (size_t j = 0; j < covariance.columns(); ++j) {
      if (i != j) covariance.at(i, j) *= 1 - share;
    }
  }
}

Quadratic MakeQuadratic(Matrix covariance, Matrix cross, const JudgingSums& seen, float damping, size_t parts,
                        const ParallelFor& parallel_for) {
  Quadratic form{std::move(covariance), std::move(cross)};
  auto& [curvature, step] = form;
  const double mean = MeanDiagonal(curvature);
  const auto damp = static_cast<float>(mean > 0 ? double{damping} * mean : 1);  // inputs that are always the same
  for (size_t i = 0; i < curvature.rows(); ++i) curvature.at(i, i) += damp;
  if (std::ranges::all_of(step.values(), [](float value) { return value == 0; })) return form;  // nothing is missing
  Matrix factor = curvature;
  if (!FactorUpper(factor.view())) {
    step = Matrix(step.rows(), step.columns());
    return form;
  }
  ForColumns(step.columns(), parallel_for,
             [&](size_t first, size_t count) { SolveFactored(factor.view(), step.view().Columns(first, count)); });
  ShortenAsSeen(seen, parts, parallel_for, step);
  return form;
}

std::vector<double> BiasFor(const LayerMeans& means, const Matrix& moved, const std::vector<size_t>& outputs) {
  std::vector<double> bias;
  for (const size_t output : outputs) bias.push_back(means.missing[output]);
  for (size_t i = 0; i < moved.rows(); ++i) {
    for (size_t j = 0; j < moved.columns(); ++j) bias[j] -= means.inputs[i] * double{moved.at(i, j)};
  }
  return bias;
}

}  // namespace preon
