#include "base/shape.h"

#include <algorithm>
#include <limits>

namespace preon {

bool IsStatic(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim >= 0; });
}

int64_t ElementCount(const Shape& shape) {
  if (!IsStatic(shape)) return kDynamicDim;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (__builtin_mul_overflow(count, dim, &count)) return std::numeric_limits<int64_t>::max();
  }
  return count;
}

std::string ShapeToString(const Shape& shape) {
  std::string text = "[";
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += shape[axis] < 0 ? "?" : std::to_string(shape[axis]);
  }
  return text + "]";
}

}  // namespace preon
