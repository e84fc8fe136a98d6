#include "kernels/sigmoid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

TEST(Sigmoids, EveryTargetGivesTheReferencesBits) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(300)) {
      for (const float scale : {1e-30f, 1.0f, 20.0f, 1e30f}) {
        const std::vector<float> x = RandomFloats(length, static_cast<uint32_t>(length), scale);
        std::vector<float> got(length + 1, 7), wanted = got;
        Sigmoids(x.data(), length, got.data());
        reference::Sigmoids(x.data(), length, wanted.data());
        ASSERT_EQ(got, wanted) << target << " length " << length << " scale " << scale;
      }
    }
  });
}

TEST(Sigmoids, NearTheExactOnes) {
  double worst = 0;
  for (float x = -86; x < 86; x += 0.0037f) {
    float got = 0;
    Sigmoids(&x, 1, &got);
    const double exact = 1 / (1 + std::exp(-static_cast<double>(x)));
    worst = std::max(worst, std::fabs(got - exact) / exact);
  }
  EXPECT_LT(worst, std::ldexp(1.0, -21));
  EXPECT_GT(worst, std::ldexp(1.0, -26));  // a float can't be nearer everywhere
}

}  // namespace
}  // namespace preon
