// Shapes: dimensions in elements; a dimension that is not known is kDynamicDim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace preon {

using Shape = std::vector<int64_t>;
inline constexpr int64_t kDynamicDim = -1;

/// Product of the dimensions (1 for a scalar), at most INT64_MAX; kDynamicDim if any is unknown.
int64_t ElementCount(const Shape& shape);
bool IsStatic(const Shape& shape);
/// "[64, 3, ?, 7]".
std::string ShapeToString(const Shape& shape);

}  // namespace preon
