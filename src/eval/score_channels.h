// ScoreChannels: where an output of a detector has scores beside coordinates.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/tensor.h"

namespace preon {

/// Channels of a tensor that hold scores from 0 to 1, while the others hold coordinates in pixels. The error of the
/// whole tensor is that of the coordinates: whether a box is found at all does not show in it.
class ScoreChannels {
 public:
  /// Nullopt unless the tensor has three dimensions or more, and along one but the first some indices have values from
  /// 0 to 1 alone, and the mean square of each of the others is 100 times theirs or more. Of each index there have to
  /// be 16 values. `values` are the tensor's.
  static std::optional<ScoreChannels> Find(std::span<const double> values, const Shape& shape);

  /// Are these boxes in rows, [..., boxes, channels], that a detector has sorted by a score, the best first? Those at
  /// the end are found by chance, and change places with any error.
  bool ranked() const { return ranking_.has_value(); }
  /// `values` with each row times the score that `expected` ranks it by: a row counts as much as it says of itself.
  /// Only where ranked().
  std::vector<double> Weighed(std::span<const double> values, std::span<const double> expected) const;

  /// Adds Σ a² and Σ (a - b)² of the scores of two tensors of that shape, where both are finite. T: float or double.
  template <typename T>
  void Add(std::span<const T> a, std::span<const T> b, double& signal, double& noise) const;

 private:
  size_t inner_ = 1;  // values behind one index
  std::vector<bool> is_score_;
  std::optional<size_t> ranking_;  // channel
};

/// Those of one output, looked for in the first of its tensors that has another shape than the one before.
class OutputScores {
 public:
  /// Null where the output has none. It lives until the next call.
  const ScoreChannels* Of(const Tensor& values);

 private:
  Shape shape_;
  std::optional<ScoreChannels> found_;
};

}  // namespace preon
