#include "kernels/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "kernels/target.h"

namespace preon {
namespace {

template <typename T>
class QuantizeLinearTest : public ::testing::Test {};
using Types = ::testing::Types<int8_t, uint8_t, int16_t, uint16_t>;
TYPED_TEST_SUITE(QuantizeLinearTest, Types);

template <typename T>
std::vector<T> Quantize(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max) {
  std::vector<T> out(count + 1, T{77});
  QuantizeLinear(x, count, scale, zero_point, q_min, q_max, out.data());
  EXPECT_EQ(out.back(), T{77}) << "written beyond the end";
  out.pop_back();
  return out;
}

TYPED_TEST(QuantizeLinearTest, EveryTargetGivesTheReferencesCodes) {
  const int32_t type_min = std::numeric_limits<TypeParam>::min();
  const int32_t type_max = std::numeric_limits<TypeParam>::max();
  ForEachKernelTarget([&](const std::string& target) {
    for (const size_t length : KernelTestLengths(600)) {
      for (const auto& [low, high] : {std::pair{type_min, type_max}, std::pair{type_min + 1, type_max - 3}}) {
        const auto seed = static_cast<uint32_t>(length);
        const MisalignedFloats x(WithEdgeValues(RandomFloats(length, seed), seed, 30), length % 16);
        const int32_t zero_point = low + static_cast<int32_t>(length % 17);
        const float scale = 6.0f / static_cast<float>(high - low);
        std::vector<TypeParam> wanted(length);
        reference::QuantizeLinear(x.data(), length, scale, zero_point, low, high, wanted.data());
        ASSERT_EQ(Quantize<TypeParam>(x.data(), length, scale, zero_point, low, high), wanted)
            << target << " length " << length;
      }
    }
  });
}

TYPED_TEST(QuantizeLinearTest, TiesGoToEvenAndBoundsHold) {
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN, 0.49999997f, 3.5f};
  const auto zero_point = static_cast<int32_t>(std::is_signed_v<TypeParam> ? 0 : 8);
  const int32_t low = zero_point - 7, high = zero_point + 7;
  std::vector<TypeParam> wanted;
  for (const int32_t step : {0, 2, 2, 0, 7, -7, 7, -7, 0, 0, 4})
    wanted.push_back(static_cast<TypeParam>(zero_point + step));
  ForEachKernelTarget([&](const std::string& target) {
    EXPECT_EQ(Quantize<TypeParam>(x.data(), x.size(), 1, zero_point, low, high), wanted) << target;
  });
  std::vector<TypeParam> slow(x.size());
  reference::QuantizeLinear(x.data(), x.size(), 1, zero_point, low, high, slow.data());
  EXPECT_EQ(slow, wanted);
}

TEST(QuantizeLinear, DividesInFloat) {
  // The float quotient is 7.4999995 and goes to 7; times the rounded reciprocal it would be the tie 7.5 and go to 8.
  const std::vector<float> x(40, 2.25f);
  ForEachKernelTarget([&](const std::string& target) {
    EXPECT_EQ(Quantize<int8_t>(x.data(), x.size(), 0.3f, 0, -128, 127), std::vector<int8_t>(x.size(), 7)) << target;
  });
}

TEST(KernelTarget, HasAName) { EXPECT_FALSE(KernelTargetName().empty()); }

}  // namespace
}  // namespace preon
