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

// What the outputs of a part win by going a share of the way is quadratic in the share: goes where it is most, from
// nothing to all.
void GoAsFarAsSeen(const JudgingSums& seen, size_t parts, const ParallelFor& parallel_for, Matrix& way) {
  std::vector<JudgingSums::Parts> by_output(way.columns());
  ForColumns(way.columns(), parallel_for, [&](size_t first, size_t count) {
    std::vector<size_t> outputs(count);
    std::iota(outputs.begin(), outputs.end(), first);
    Matrix some(way.rows(), count);
    for (size_t i = 0; i < way.rows(); ++i) std::copy_n(way.row(i) + first, count, some.row(i));
    std::ranges::copy(seen.PartsOf(some, outputs), by_output.begin() + static_cast<std::ptrdiff_t>(first));
  });
  const size_t outputs = way.columns() / parts;
  std::vector<float> shares;
  for (size_t part = 0; part < parts; ++part) {
    JudgingSums::Parts all;
    for (size_t j = part * outputs; j < (part + 1) * outputs; ++j) {
      all.curved += by_output[j].curved;
      all.wanted += by_output[j].wanted;
    }
    shares.push_back(all.curved > 0 ? static_cast<float>(std::clamp(all.wanted / all.curved, 0.0, 1.0)) : 0);
  }
  for (size_t i = 0; i < way.rows(); ++i) {
    for (size_t j = 0; j < way.columns(); ++j) way.at(i, j) *= shares[j / outputs];
  }
}

}  // namespace

Quadratic MakeQuadratic(Matrix covariance, Matrix cross, const JudgingSums& seen, float damping, size_t parts,
                        const ParallelFor& parallel_for) {
  Quadratic form{std::move(covariance), std::move(cross)};
  auto& [curvature, way] = form;
  const double mean = MeanDiagonal(curvature);
  const auto damp = static_cast<float>(mean > 0 ? double{damping} * mean : 1);  // inputs that are always the same
  for (size_t i = 0; i < curvature.rows(); ++i) curvature.at(i, i) += damp;
  if (std::ranges::all_of(way.values(), [](float value) { return value == 0; })) return form;  // nothing is missing
  Matrix factor = curvature;
  if (!FactorUpper(factor.view())) {
    way = Matrix(way.rows(), way.columns());
    return form;
  }
  ForColumns(way.columns(), parallel_for,
             [&](size_t first, size_t count) { SolveFactored(factor.view(), way.view().Columns(first, count)); });
  GoAsFarAsSeen(seen, parts, parallel_for, way);
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
