// What the tests of block formats share.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "formats/block_codec.h"
#include "kernels/kernel_testing.h"

namespace preon::test {

using Family = BlockSpec::Family;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline const Rounding kRoundings[] = {Rounding::kHalfAway, Rounding::kHalfUp, Rounding::kHalfEven};

inline BlockSpec Mx(std::optional<MiniFloat> element) {
  return {.family = Family::kMx, .block_size = 32, .element = element};
}
inline BlockSpec Micro(int64_t bit_width) {
  return {.family = Family::kMicro, .block_size = 16, .bit_width = bit_width};
}

/// Every family, with sizes that have a vector path and sizes that have none.
inline std::vector<BlockSpec> Specs() {
  std::vector<BlockSpec> specs = {{},
                                  {.block_size = 5, .bit_width = 12},
                                  {.block_size = 100},
                                  Micro(16),
                                  Micro(11),
                                  Mx({}),
                                  Mx(kE2M1),
                                  Mx(kE5M2),
                                  Mx(kE2M3)};
  specs.push_back({.family = Family::kMicro, .block_size = 12, .sub_block_size = 3, .sub_block_shift_bits = 2});
  const size_t count = specs.size();
  for (size_t i = 0; i < count; ++i) {
    for (const Rounding rounding : kRoundings) {
      specs.push_back(specs[i]);
      specs.back().rounding = rounding;
      specs.back().numerics = Numerics::kCompat;
      specs.back().bfloat_first = rounding == Rounding::kHalfUp;
    }
  }
  return specs;
}

inline std::vector<float> Rounded(const BlockSpec& spec, const Shape& shape, int64_t axis,
                                  const std::vector<float>& x) {
  std::vector<float> out(x.size() + 1, 7.0f);
  const Status status = QuantizeDequantize(spec, shape, axis, x.data(), out.data());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out.back(), 7.0f) << "written beyond the end";
  out.pop_back();
  return out;
}

inline std::vector<float> Rounded(const BlockSpec& spec, const std::vector<float>& x) {
  return Rounded(spec, {static_cast<int64_t>(x.size())}, 0, x);
}

inline void ExpectSame(const std::vector<float>& got, const std::vector<float>& wanted, const std::string& where) {
  ASSERT_EQ(got.size(), wanted.size()) << where;
  const size_t at = FirstDifference(got, wanted);
  EXPECT_EQ(at, wanted.size()) << where << ": got " << got[at] << ", wanted " << wanted[at];
}

inline const Shape kShapes[] = {{37}, {1, 9}, {13, 13}, {21, 29}, {2, 35, 3, 2}, {3, 33, 20}, {2, 16, 16}, {40, 1, 2}};

}  // namespace preon::test
