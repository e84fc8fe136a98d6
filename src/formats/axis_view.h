// AxisView: a tensor seen from one of its axes.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>

#include "base/shape.h"
#include "base/status.h"

namespace preon {

/// [outer][channels][inner], row-major. Axis -1: one channel that holds everything.
struct AxisView {
  int64_t outer = 1, channels = 1, inner = 1;
};

/// Errors: kQuantizeFailed on an axis that the shape has not.
inline Result<AxisView> ViewAlong(std::span<const int64_t> shape, int axis) {
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
  };
  if (axis == -1) return AxisView{1, 1, product(shape.begin(), shape.end())};
  if (axis < 0 || axis >= static_cast<int>(shape.size())) {
    return Error(ErrorId::kQuantizeFailed, "axis ", axis, " out of range for shape ",
                 ShapeToString({shape.begin(), shape.end()}));
  }
  return AxisView{product(shape.begin(), shape.begin() + axis), shape[axis],
                  product(shape.begin() + axis + 1, shape.end())};
}

}  // namespace preon
