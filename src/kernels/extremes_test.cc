#include "kernels/extremes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

TEST(RunExtremes, EveryTargetGivesTheReferencesExtremes) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(1100)) {
      for (size_t offset = 0; offset < 16; ++offset) {
        const auto seed = static_cast<uint32_t>(length * 16 + offset);
        const MisalignedFloats x(WithEdgeValues(RandomFloats(length, seed), seed, 20), offset);
        float min = INFINITY, max = -INFINITY, wanted_min = INFINITY, wanted_max = -INFINITY;
        RunExtremes(x.data(), length, &min, &max);
        reference::RunExtremes(x.data(), length, &wanted_min, &wanted_max);
        ASSERT_EQ(min, wanted_min) << target << " length " << length << " offset " << offset;
        ASSERT_EQ(max, wanted_max) << target << " length " << length << " offset " << offset;
      }
    }
  });
}

TEST(RunExtremes, KeepsWhatItWasGiven) {
  const std::vector<float> x(40, 1.0f);
  float min = -3, max = 5;
  RunExtremes(x.data(), x.size(), &min, &max);
  EXPECT_EQ(min, -3);
  EXPECT_EQ(max, 5);
}

TEST(ColumnExtremes, EveryTargetGivesTheReferencesExtremes) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t rows : {0, 1, 2, 7}) {
      for (size_t columns = 1; columns <= 65; ++columns) {
        const auto seed = static_cast<uint32_t>(rows * 100 + columns);
        const MisalignedFloats x(WithEdgeValues(RandomFloats(rows * columns, seed), seed, 10), columns % 16);
        std::vector<float> min(columns + 1, INFINITY), max(columns + 1, -INFINITY);
        std::vector<float> wanted_min = min, wanted_max = max;
        ColumnExtremes(x.data(), rows, columns, min.data(), max.data());
        reference::ColumnExtremes(x.data(), rows, columns, wanted_min.data(), wanted_max.data());
        ASSERT_EQ(min, wanted_min) << target << ' ' << rows << 'x' << columns;
        ASSERT_EQ(max, wanted_max) << target << ' ' << rows << 'x' << columns;
      }
    }
  });
}

TEST(ColumnExtremes, TakesFiniteValuesOfEachColumn) {
  const float x[] = {1, NAN, 3, -4, INFINITY, 6};
  std::vector<float> min(3, INFINITY), max(3, -INFINITY);
  ColumnExtremes(x, 2, 3, min.data(), max.data());
  EXPECT_EQ(min, (std::vector<float>{-4, INFINITY, 3}));
  EXPECT_EQ(max, (std::vector<float>{1, -INFINITY, 6}));
}

}  // namespace
}  // namespace preon
