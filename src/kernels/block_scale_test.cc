#include "kernels/block_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

std::vector<float> Magnitudes(size_t count, uint32_t seed) {
  std::vector<float> values = RandomFloats(count, seed, 0.25f);
  for (float& value : values) value = std::min(std::fabs(value), 1.0f);
  return values;
}

double Error(const std::vector<float>& magnitudes, const std::vector<float>& rooms, float scale,
             const std::vector<float>& importance) {
  double error = 0;
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    const double code = std::min(std::nearbyint(double{magnitudes[i]} / scale), double{rooms[i]});
    error += importance[i] * std::pow(magnitudes[i] - scale * code, 2);
  }
  return error;
}

TEST(BestBlockScale, EveryTargetGivesTheReferencesBits) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(kLargestScaledBlock)) {
      const std::vector<float> magnitudes = Magnitudes(length, static_cast<uint32_t>(length)),
                               importance = Magnitudes(length, static_cast<uint32_t>(length + 1));
      for (const int most : {0, 1, 2, 8, kMostScaledCodes}) {
        std::vector<float> rooms(length);
        for (size_t i = 0; i < length; ++i) rooms[i] = static_cast<float>(i % 3 == 0 ? most / 2 : most);
        for (const ScaleBounds bounds : {ScaleBounds{3.75f, 18.75f}, {0.75f, 3}, {5, 5}}) {
          ASSERT_EQ(BestBlockScale(magnitudes, rooms, bounds), reference::BestBlockScale(magnitudes, rooms, bounds))
              << target << " length " << length << " room " << most << " from " << bounds.coarsest;
          ASSERT_EQ(BestBlockScale(magnitudes, rooms, bounds, importance),
                    reference::BestBlockScale(magnitudes, rooms, bounds, importance))
              << target << " length " << length << " room " << most << " from " << bounds.coarsest << ", weighted";
        }
      }
    }
  });
}

TEST(BestBlockScale, NoScaleInTheBoundsIsBetter) {
  for (const int room : {1, 7, kMostScaledCodes}) {
    const std::vector<float> magnitudes = Magnitudes(32, static_cast<uint32_t>(room)),
                             rooms(32, static_cast<float>(room));
    const ScaleBounds bounds = {0.5f * static_cast<float>(room), 3.0f * static_cast<float>(room)};
    for (const std::vector<float>& importance : {std::vector<float>(32, 1), Magnitudes(32, 7)}) {
      const float scale = BestBlockScale(magnitudes, rooms, bounds, importance);
      const double found = Error(magnitudes, rooms, scale, importance);
      for (float inverse = bounds.coarsest; inverse < bounds.finest; inverse *= 1.001f)
        ASSERT_GE(Error(magnitudes, rooms, 1 / inverse, importance), found * (1 - 1e-5))
            << room << " codes, 1 / " << inverse;
    }
  }
}

}  // namespace
}  // namespace preon
