#include "kernels/channel_units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

TEST(AddUnits, EveryTargetGivesTheReferencesBits) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(300)) {
      for (const float scale : {1e-30f, 1e-6f, 1.0f, 3e5f, 1e38f}) {
        const std::vector<float> x = RandomFloats(length, static_cast<uint32_t>(length), scale);
        std::vector<double> got(length, 7), wanted(length, 7);
        AddUnits(x.data(), length, got.data());
        reference::AddUnits(x.data(), length, wanted.data());
        ASSERT_EQ(got, wanted) << target << " length " << length << " scale " << scale;
      }
    }
  });
}

TEST(AddUnits, RoundsToWholeUnitsAndLimitsTheMagnitude) {
  const float x[] = {1, -0.3f, 1e9f, -1e9f, 1e-9f};
  double sums[5] = {};
  AddUnits(x, 5, sums);
  EXPECT_EQ(sums[0], kUnitsPerOne);
  EXPECT_EQ(sums[1], std::nearbyint(-0.3f * kUnitsPerOne));
  EXPECT_EQ(sums[2], kLargestInUnits * kUnitsPerOne);
  EXPECT_EQ(sums[3], -sums[2]);
  EXPECT_EQ(sums[4], 0);
}

}  // namespace
}  // namespace preon
