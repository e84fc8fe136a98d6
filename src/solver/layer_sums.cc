#include "solver/layer_sums.h"

#include <algorithm>

#include "solver/dense.h"

namespace preon {
namespace {

void AddColumnSums(ConstMatrixView values, std::vector<double>& sums) {
  for (size_t row = 0; row < values.rows; ++row) {
    for (size_t column = 0; column < values.columns; ++column) sums[column] += double{values.row(row)[column]};
  }
}

std::vector<double> Means(std::vector<double> sums, int64_t places) {
  for (double& sum : sums) sum /= static_cast<double>(std::max<int64_t>(places, 1));
  return sums;
}

}  // namespace

LayerSums::LayerSums(size_t inputs, size_t outputs, bool with_bias)
    : with_bias_(with_bias),
      gram_(inputs, inputs),
      cross_(inputs, outputs),
      input_sums_(inputs),
      missing_sums_(outputs) {}

void LayerSums::Add(ConstMatrixView inputs, ConstMatrixView missing, const ParallelFor& parallel_for) {
  AddGram(inputs, gram_.view(), parallel_for);
  AddTransposedProduct(inputs, missing, 1, cross_.view());
  if (with_bias_) {
    AddColumnSums(inputs, input_sums_);
    AddColumnSums(missing, missing_sums_);
  }
  places_ += static_cast<int64_t>(inputs.rows);
}

std::vector<double> LayerSums::InputMeans() const { return Means(input_sums_, places_); }

std::vector<double> LayerSums::MissingMeans() const { return Means(missing_sums_, places_); }

Matrix LayerSums::Covariance() const {
  Matrix covariance(gram_.rows(), gram_.columns());
  const std::vector<double> means = InputMeans();
  const double count = static_cast<double>(std::max<int64_t>(places_, 1));
  for (size_t i = 0; i < gram_.rows(); ++i) {
    for (size_t j = i; j < gram_.columns(); ++j)
      covariance.at(i, j) = static_cast<float>(double{gram_.at(i, j)} / count - means[i] * means[j]);
  }
  MirrorUpper(covariance.view());
  return covariance;
}

Matrix LayerSums::CrossCovariance() const {
  Matrix covariance(cross_.rows(), cross_.columns());
  const std::vector<double> means = InputMeans(), missing = MissingMeans();
  const double count = static_cast<double>(std::max<int64_t>(places_, 1));
  for (size_t i = 0; i < cross_.rows(); ++i) {
    for (size_t j = 0; j < cross_.columns(); ++j)
      covariance.at(i, j) = static_cast<float>(double{cross_.at(i, j)} / count - means[i] * missing[j]);
  }
  return covariance;
}

}  // namespace preon
