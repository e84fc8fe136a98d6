#include "solver/quadratic.h"

#include <algorithm>

#include "solver/dense.h"

namespace preon {
namespace {

double MeanDiagonal(const Matrix& matrix) {
  double sum = 0;
  for (size_t i = 0; i < matrix.rows(); ++i) sum += double{matrix.at(i, i)};
  return matrix.rows() == 0 ? 0 : sum / static_cast<double>(matrix.rows());
}

// What all outputs of a part win by going `share` of the way is quadratic in the share: where it is most, from 0 to 1.
std::vector<float> BestShares(const LayerSums& seen, const Matrix& way, size_t parts) {
  Matrix pulled(way.rows(), way.columns());
  AddProduct(seen.Covariance().view(), way.view(), 1, pulled.view());
  const Matrix wanted = seen.CrossCovariance();
  const size_t outputs = way.columns() / parts;
  std::vector<float> shares;
  for (size_t part = 0; part < parts; ++part) {
    double along = 0, curved = 0;
    for (size_t i = 0; i < way.rows(); ++i) {
      for (size_t j = part * outputs; j < (part + 1) * outputs; ++j) {
        along += double{way.at(i, j)} * double{wanted.at(i, j)};
        curved += double{way.at(i, j)} * double{pulled.at(i, j)};
      }
    }
    shares.push_back(static_cast<float>(curved > 0 ? std::clamp(along / curved, 0.0, 1.0) : 0));
  }
  return shares;
}

}  // namespace

Quadratic MakeQuadratic(const LayerSums& sums, const LayerSums& seen, const Matrix& weights, float damping,
                        size_t ways) {
  Quadratic form{.curvature = sums.Covariance(), .optimum = weights};
  const double mean = MeanDiagonal(form.curvature);
  const auto damp = static_cast<float>(mean > 0 ? double{damping} * mean : 1);  // inputs that are always the same
  for (size_t i = 0; i < form.curvature.rows(); ++i) form.curvature.at(i, i) += damp;
  Matrix way = sums.CrossCovariance();
  if (std::ranges::all_of(way.values(), [](float value) { return value == 0; })) return form;  // nothing is missing
  Matrix factor = form.curvature;
  if (!FactorUpper(factor.view())) return form;
  SolveFactored(factor.view(), way.view());
  const std::vector<float> shares = BestShares(seen, way, ways);
  const size_t outputs = way.columns() / ways;
  for (size_t i = 0; i < way.rows(); ++i) {
    for (size_t j = 0; j < way.columns(); ++j) form.optimum.at(i, j) += shares[j / outputs] * way.at(i, j);
  }
  return form;
}

std::vector<double> ErrorOf(const LayerSums& sums, const Matrix& moved) {
  Matrix pulled(moved.rows(), moved.columns());
  AddProduct(sums.Covariance().view(), moved.view(), 1, pulled.view());
  const Matrix wanted = sums.CrossCovariance();
  std::vector<double> errors(moved.columns());
  for (size_t i = 0; i < moved.rows(); ++i) {
    for (size_t j = 0; j < moved.columns(); ++j)
      errors[j] += double{moved.at(i, j)} * (double{pulled.at(i, j)} - 2 * double{wanted.at(i, j)});
  }
  return errors;
}

std::vector<double> BiasFor(const LayerSums& sums, const Matrix& moved) {
  std::vector<double> bias = sums.MissingMeans();
  const std::vector<double> means = sums.InputMeans();
  for (size_t i = 0; i < moved.rows(); ++i) {
    for (size_t j = 0; j < moved.columns(); ++j) bias[j] -= means[i] * double{moved.at(i, j)};
  }
  return bias;
}

}  // namespace preon
