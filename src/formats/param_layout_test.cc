#include "formats/param_layout.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

/// Which parameter every element has, by way of ForEachRun.
std::vector<int64_t> ParamIndices(const ParamLayout& layout) {
  std::vector<int64_t> from(static_cast<size_t>(layout.count()), 0), to(from.size(), -1);
  layout.ForEachRun(from.data(), to.data(), [](const int64_t*, int64_t count, int64_t param, int64_t* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = param;
  });
  return to;
}

/// The same from the definition: [outer][extent][inner], element j of the axis in block j / size.
std::vector<int64_t> Obvious(const Shape& shape, int64_t axis, int64_t size, bool per_axis) {
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t extent = shape[axis], blocks = (extent + size - 1) / size;
  std::vector<int64_t> params;
  for (int64_t i = 0; i < ElementCount(shape); ++i) {
    const int64_t j = i / inner % extent;
    params.push_back(per_axis ? j : (i / (inner * extent) * blocks + j / size) * inner + i % inner);
  }
  return params;
}

const Shape kShapes[] = {{7}, {3, 5}, {5, 1}, {2, 6, 3}, {300, 37}, {1, 8, 1, 2}, {0, 4}, {3, 0, 2}};

TEST(ParamLayout, PerAxis) {
  for (const Shape& shape : kShapes) {
    const auto rank = static_cast<int64_t>(shape.size());
    for (int64_t axis = -rank; axis < rank; ++axis) {
      const ParamLayout layout = *ParamLayout::PerAxis(shape, axis);
      const int64_t counted = axis < 0 ? axis + rank : axis;
      EXPECT_EQ(layout.params(), shape[counted]);
      EXPECT_EQ(ParamIndices(layout), Obvious(shape, counted, 1, true)) << ShapeToString(shape) << " axis " << axis;
    }
  }
}

TEST(ParamLayout, PerBlockWithShortLastBlocks) {
  for (const Shape& shape : kShapes) {
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      for (const int64_t size : {1, 2, 4, 1000}) {
        const ParamLayout layout = *ParamLayout::PerBlock(shape, axis, size);
        Shape of_params = shape;
        of_params[axis] = (shape[axis] + size - 1) / size;
        EXPECT_EQ(layout.params(), ElementCount(of_params));
        EXPECT_EQ(ParamIndices(layout), Obvious(shape, axis, size, false)) << ShapeToString(shape) << " axis " << axis;
      }
    }
  }
}

TEST(ParamLayout, PerTensor) {
  EXPECT_EQ(ParamLayout::PerTensor(5).params(), 1);
  EXPECT_EQ(ParamIndices(ParamLayout::PerTensor(5)), std::vector<int64_t>(5, 0));
}

TEST(ParamLayout, WhatIsNoAxis) {
  const Shape shape = {3, 4};
  for (const int64_t axis : {-3, 2, 100}) {
    EXPECT_EQ(ParamLayout::PerAxis(shape, axis).status().id(), ErrorId::kFormatAxis);
    EXPECT_EQ(ParamLayout::PerBlock(shape, axis, 2).status().id(), ErrorId::kFormatAxis);
  }
  EXPECT_EQ(ParamLayout::PerAxis(Shape{}, 0).status().message(), "axis: got 0 for shape [], which has no axis");
  EXPECT_EQ(ParamLayout::PerBlock(shape, 1, 0).status().id(), ErrorId::kFormatAttribute);
}

}  // namespace
}  // namespace preon
