#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace preon {
namespace {

double ValueOf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

Half FromBits(uint32_t bits) {
  Half half;
  half.bits = static_cast<uint16_t>(bits);
  return half;
}

TEST(Half, AllCodes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = FromBits(bits);
    if ((bits & 0x7c00) == 0x7c00) {
      EXPECT_EQ(std::isnan(value), (bits & 0x3ff) != 0) << bits;
      EXPECT_EQ(std::isinf(value), (bits & 0x3ff) == 0) << bits;
      EXPECT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    } else {
      EXPECT_EQ(value, ValueOf(static_cast<uint16_t>(bits))) << bits;
    }
    if (!std::isnan(value)) {
      EXPECT_EQ(Half(value).bits, bits);
    }
  }
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::numeric_limits<float>::quiet_NaN()))));
}

// Between two neighbours the nearer one, in the middle the even one.
TEST(Half, NearestTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = FromBits(bits), high = FromBits(bits + 1);
    const float middle = (low + high) / 2;
    EXPECT_EQ(Half(middle).bits, bits + (bits & 1)) << bits;
    EXPECT_EQ(Half(std::nextafter(middle, 0.0f)).bits, bits) << bits;
    EXPECT_EQ(Half(std::nextafter(middle, 1e6f)).bits, bits + 1) << bits;
    EXPECT_EQ(Half(-middle).bits, 0x8000 + bits + (bits & 1)) << bits;
  }
}

TEST(Half, Overflow) {
  EXPECT_EQ(Half(std::nextafter(65520.0f, 0.0f)).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(-1e30f).bits, 0xfc00);
  EXPECT_EQ(Half(std::numeric_limits<float>::denorm_min()).bits, 0);
}

}  // namespace
}  // namespace preon
