#include "solver/layer_sums.h"

#include <algorithm>

#include "base/check.h"
#include "solver/dense.h"

namespace preon {
namespace {

void AddColumnSums(ConstMatrixView values, std::vector<double>& sums) {
  for (size_t row = 0; row < values.rows; ++row) {
    for (size_t column = 0; column < values.columns; ++column) sums[column] += double{values.row(row)[column]};
  }
}

void Divide(std::vector<double>& sums, double places) {
  for (double& sum : sums) sum /= places;
}

void SubtractColumnMeans(Matrix& values) {
  std::vector<double> means(values.columns());
  AddColumnSums(values.view(), means);
  Divide(means, static_cast<double>(std::max<size_t>(values.rows(), 1)));
  for (size_t row = 0; row < values.rows(); ++row) {
    for (size_t column = 0; column < values.columns(); ++column)
      values.at(row, column) = static_cast<float>(double{values.at(row, column)} - means[column]);
  }
}

}  // namespace

LayerSums::LayerSums(size_t inputs, size_t outputs, bool with_bias)
    : with_bias_(with_bias),
      gram_(inputs, inputs),
      cross_(inputs, outputs),
      sums_{std::vector<double>(inputs), std::vector<double>(outputs)} {}

void LayerSums::Add(ConstMatrixView inputs, ConstMatrixView missing, const ParallelFor& parallel_for) {
  AddGram(inputs, gram_.view(), parallel_for);
  ForColumns(missing.columns, parallel_for, [&](size_t first, size_t count) {
    AddTransposedProduct(inputs, missing.Columns(first, count), 1, cross_.view().Columns(first, count));
  });
  if (with_bias_) {
    AddColumnSums(inputs, sums_.inputs);
    AddColumnSums(missing, sums_.missing);
  }
  places_ += static_cast<int64_t>(inputs.rows);
}

LayerSums::Moments LayerSums::Take() && {
  const auto count = static_cast<double>(std::max<int64_t>(places_, 1));
  Moments moments{std::move(gram_), std::move(cross_), std::move(sums_)};
  auto& [covariance, cross, means] = moments;
  Divide(means.inputs, count);
  Divide(means.missing, count);
  for (size_t i = 0; i < covariance.rows(); ++i) {
    for (size_t j = i; j < covariance.columns(); ++j)
      covariance.at(i, j) = static_cast<float>(double{covariance.at(i, j)} / count - means.inputs[i] * means.inputs[j]);
    for (size_t j = 0; j < cross.columns(); ++j)
      cross.at(i, j) = static_cast<float>(double{cross.at(i, j)} / count - means.inputs[i] * means.missing[j]);
  }
  MirrorUpper(covariance.view());
  return moments;
}

JudgingSums::JudgingSums(size_t inputs, size_t outputs, bool with_bias, size_t places)
    : keeps_rows_(places < inputs),
      with_bias_(with_bias),
      sums_(keeps_rows_ ? 0 : inputs, keeps_rows_ ? 0 : outputs, with_bias),
      inputs_(keeps_rows_ ? places : 0, inputs),
      missing_(keeps_rows_ ? places : 0, outputs) {}

void JudgingSums::Add(ConstMatrixView inputs, ConstMatrixView missing, const ParallelFor& parallel_for) {
  if (!keeps_rows_) return sums_.Add(inputs, missing, parallel_for);
  PREON_CHECK(places_ + inputs.rows <= inputs_.rows());
  for (size_t row = 0; row < inputs.rows; ++row, ++places_) {
    std::copy_n(inputs.row(row), inputs.columns, inputs_.row(places_));
    std::copy_n(missing.row(row), missing.columns, missing_.row(places_));
  }
}

void JudgingSums::Finish() {
  PREON_CHECK(!keeps_rows_ || places_ == inputs_.rows());
  if (!keeps_rows_) {
    moments_ = std::move(sums_).Take();
  } else if (with_bias_) {
    SubtractColumnMeans(inputs_);
    SubtractColumnMeans(missing_);
  }
}

std::vector<JudgingSums::Parts> JudgingSums::PartsOf(const Matrix& moved, const std::vector<size_t>& outputs) const {
  std::vector<Parts> parts(moved.columns());
  const ConstMatrixView by = keeps_rows_ ? inputs_.view() : moments_.covariance.view();
  Matrix pulled(by.rows, moved.columns());
  AddProduct(by, moved.view(), 1, pulled.view());
  const double places = keeps_rows_ ? static_cast<double>(std::max<size_t>(places_, 1)) : 1;
  const Matrix &from = keeps_rows_ ? pulled : moved, &wanted = keeps_rows_ ? missing_ : moments_.cross;
  for (size_t i = 0; i < by.rows; ++i) {
    for (size_t j = 0; j < parts.size(); ++j) {
      parts[j].curved += double{from.at(i, j)} * double{pulled.at(i, j)} / places;
      parts[j].wanted += double{from.at(i, j)} * double{wanted.at(i, outputs[j])} / places;
    }
  }
  return parts;
}

}  // namespace preon
