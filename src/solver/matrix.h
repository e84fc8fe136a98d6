// Matrix: floats, row by row, and views of parts of one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace preon {

/// Rows of a matrix that lie `stride` floats apart.
struct ConstMatrixView {
  const float* data = nullptr;
  size_t rows = 0, columns = 0, stride = 0;

  const float* row(size_t i) const { return data + i * stride; }
  ConstMatrixView Rows(size_t begin, size_t count) const { return {row(begin), count, columns, stride}; }
  ConstMatrixView Columns(size_t begin, size_t count) const { return {data + begin, rows, count, stride}; }
};

struct MatrixView {
  float* data = nullptr;
  size_t rows = 0, columns = 0, stride = 0;

  float* row(size_t i) const { return data + i * stride; }
  MatrixView Rows(size_t begin, size_t count) const { return {row(begin), count, columns, stride}; }
  MatrixView Columns(size_t begin, size_t count) const { return {data + begin, rows, count, stride}; }
  operator ConstMatrixView() const { return {data, rows, columns, stride}; }
};

/// Zeros at first.
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  /// Takes or leaves rows at the end, in the memory that it has if that is enough.
  void SetRows(size_t rows) {
    rows_ = rows;
    values_.resize(rows * columns_);
  }

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  float* row(size_t i) { return values_.data() + i * columns_; }
  const float* row(size_t i) const { return values_.data() + i * columns_; }
  float& at(size_t i, size_t j) { return values_[i * columns_ + j]; }
  float at(size_t i, size_t j) const { return values_[i * columns_ + j]; }
  std::vector<float>& values() { return values_; }
  const std::vector<float>& values() const { return values_; }
  MatrixView view() { return {values_.data(), rows_, columns_, columns_}; }
  ConstMatrixView view() const { return {values_.data(), rows_, columns_, columns_}; }

 private:
  size_t rows_ = 0, columns_ = 0;
  std::vector<float> values_;
};

}  // namespace preon
