#include "kernels/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_target.h"
#include "kernels/kernel_testing.h"

namespace preon {
namespace {

template <typename T>
class QuantizeLinearTest : public ::testing::Test {};
using Types = ::testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>;
TYPED_TEST_SUITE(QuantizeLinearTest, Types);

template <typename T>
constexpr int64_t kLowest = std::numeric_limits<T>::min();
template <typename T>
constexpr int64_t kHighest = std::numeric_limits<T>::max();

template <typename T>
std::vector<T> Quantize(const float* x, size_t count, const IntCodes& codes) {
  std::vector<T> out(count + 1, T{77});
  QuantizeLinear(x, count, codes, out.data());
  EXPECT_EQ(out.back(), T{77}) << "written beyond the end";
  out.pop_back();
  return out;
}

TYPED_TEST(QuantizeLinearTest, EveryTargetGivesTheReferencesCodesAndValues) {
  ForEachKernelTarget([&](const std::string& target) {
    for (const size_t length : KernelTestLengths(600)) {
      for (size_t offset = 0; offset < 16; ++offset) {
        const auto seed = static_cast<uint32_t>(length * 16 + offset);
        IntCodes codes{.zero_point = kLowest<TypeParam> + static_cast<int64_t>(length % 17),
                       .q_min = kLowest<TypeParam> + static_cast<int64_t>(offset % 2),
                       .q_max = kHighest<TypeParam> - 3 * static_cast<int64_t>(offset % 2)};
        codes.scale = 6.0f / static_cast<float>(codes.q_max - codes.q_min);
        const MisalignedFloats x(WithEdgeValues(RandomFloats(length, seed), seed, 30), offset);
        std::vector<TypeParam> wanted(length);
        reference::QuantizeLinear(x.data(), length, codes, wanted.data());
        ASSERT_EQ(Quantize<TypeParam>(x.data(), length, codes), wanted) << target << " length " << length;
        std::vector<float> values(length + 1, 7.0f), wanted_values = values;
        DequantizeLinear(wanted.data(), length, codes, values.data());
        reference::DequantizeLinear(wanted.data(), length, codes, wanted_values.data());
        ASSERT_EQ(values, wanted_values) << target << " length " << length;
      }
    }
  });
}

TYPED_TEST(QuantizeLinearTest, TiesGoToEvenAndBoundsHold) {
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN, 0.49999997f, 3.5f};
  const int64_t zero_point = std::is_signed_v<TypeParam> ? 0 : 8;
  const IntCodes codes{1, zero_point, zero_point - 7, zero_point + 7};
  std::vector<TypeParam> wanted;
  for (const int step : {0, 2, 2, 0, 7, -7, 7, -7, -7, 0, 4})
    wanted.push_back(static_cast<TypeParam>(zero_point + step));
  ForEachKernelTarget([&](const std::string& target) {
    std::vector<float> twice = x;  // once in a vector, once in the rest
    twice.resize(x.size() * 3);
    std::copy(x.begin(), x.end(), twice.begin() + static_cast<ptrdiff_t>(x.size() * 2));
    const std::vector<TypeParam> got = Quantize<TypeParam>(twice.data(), twice.size(), codes);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(got[i], wanted[i]) << target << ' ' << x[i];
      EXPECT_EQ(got[i + 2 * x.size()], wanted[i]) << target << ' ' << x[i];
    }
  });
  std::vector<TypeParam> slow(x.size());
  reference::QuantizeLinear(x.data(), x.size(), codes, slow.data());
  EXPECT_EQ(slow, wanted);
}

TEST(QuantizeLinear, DividesInFloat) {
  // The float quotient is 7.4999995 and goes to 7; times the rounded reciprocal it would be the tie 7.5 and go to 8.
  const std::vector<float> x(40, 2.25f);
  ForEachKernelTarget([&](const std::string& target) {
    const IntCodes codes{0.3f, 0, -128, 127};
    EXPECT_EQ(Quantize<int8_t>(x.data(), x.size(), codes), std::vector<int8_t>(x.size(), 7)) << target;
  });
}

TEST(DequantizeLinear, DifferencesOf32BitsAreExact) {
  const std::vector<uint32_t> codes(40, 4294967295u);
  const std::vector<int32_t> lowest(40, std::numeric_limits<int32_t>::min());
  ForEachKernelTarget([&](const std::string& target) {
    std::vector<float> out(40);
    DequantizeLinear(codes.data(), codes.size(), {0.5f, 4294967292, 0, 0}, out.data());
    EXPECT_EQ(out, std::vector<float>(40, 1.5f)) << target;
    DequantizeLinear(lowest.data(), lowest.size(), {1, 2147483647, 0, 0}, out.data());
    EXPECT_EQ(out, std::vector<float>(40, -4294967295.0f)) << target;
  });
}

TEST(KernelTarget, HasAName) { EXPECT_FALSE(KernelTargetName().empty()); }

}  // namespace
}  // namespace preon
