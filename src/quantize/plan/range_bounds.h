// What a user says of a tensor's range: both bounds, or one of them.
#pragma once

#include <algorithm>
#include <optional>

#include "base/status.h"
#include "base/tensor.h"
#include "formats/int_format.h"

namespace preon {

/// rmin and rmax, in the tensor's own unit. Without any it is false.
class RangeBounds {
 public:
  RangeBounds() = default;
  RangeBounds(std::optional<float> min, std::optional<float> max) : min_(min), max_(max) {}
  RangeBounds(const Range& range) : min_(range.min), max_(range.max) {}  // NOLINT: a Range is both bounds

  explicit operator bool() const { return min_ || max_; }
  bool complete() const { return min_ && max_; }
  const std::optional<float>& min() const { return min_; }
  const std::optional<float>& max() const { return max_; }

  /// These bounds, and where one is missing that of the observed values. Ranges contain 0, so that one bound never
  /// passes the other.
  Range Over(const Range& observed) const {
    if (complete()) return {*min_, *max_};
    return {std::min(min_.value_or(observed.min), 0.0f), std::max(max_.value_or(observed.max), 0.0f)};
  }
  /// The same over the extremes of a constant. Errors: kRangeNotFinite.
  Result<Range> OverExtremes(const Tensor& values) const;
  /// These bounds, setting by setting over others.
  RangeBounds OverBounds(const RangeBounds& under) const {
    return {min_ ? min_ : under.min_, max_ ? max_ : under.max_};
  }

  bool operator==(const RangeBounds&) const = default;

 private:
  std::optional<float> min_, max_;
};

}  // namespace preon
