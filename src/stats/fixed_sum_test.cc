#include "stats/fixed_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace preon {
namespace {

double Sum(const std::vector<double>& values) {
  FixedSum sum;
  for (const double value : values) sum.Add(value);
  return sum.ToDouble();
}

TEST(FixedSum, IsExactWhereDoublesAreNot) {
  EXPECT_EQ(Sum({}), 0);
  EXPECT_EQ(Sum({0x1p200, 1, -0x1p200}), 1);
  EXPECT_EQ(Sum({-0x1p200, -0x1p-290, 0x1p200}), -0x1p-290);
  EXPECT_EQ(Sum({0x1p-298, 0x1p-298}), 0x1p-297);
  EXPECT_EQ(Sum({-1.5, 0.25}), -1.25);
}

TEST(FixedSum, HoldsTheLargestSquares) {
  const double square = std::pow(static_cast<double>(std::numeric_limits<float>::max()), 2);
  FixedSum sum;
  sum.Add(square);
  for (int doubling = 0; doubling < 64; ++doubling) sum.Merge(sum);
  EXPECT_EQ(sum.ToDouble(), std::ldexp(square, 64));
}

TEST(FixedSum, ReadsOutRoundedToNearestEven) {
  EXPECT_EQ(Sum({0x1p53, 1}), 0x1p53);
  EXPECT_EQ(Sum({0x1p53, 1, 0x1p-200}), 0x1p53 + 2);
  EXPECT_EQ(Sum({0x1p53 + 2, 1}), 0x1p53 + 4);
  EXPECT_EQ(Sum({-0x1p53, -1, -0x1p-200}), -0x1p53 - 2);
}

TEST(FixedSum, AnyOrderAnySplitSameBytes) {
  std::mt19937 random(3);
  std::vector<double> values(300);
  for (double& value : values)
    value = std::ldexp(static_cast<float>(random()) - 2e9f, static_cast<int>(random() % 200) - 140);
  FixedSum wanted;
  for (const double value : values) wanted.Add(value);
  WireWriter wanted_bytes;
  wanted.Write(wanted_bytes);
  const std::string bytes = wanted_bytes.Take();
  for (int round = 0; round < 20; ++round) {
    std::shuffle(values.begin(), values.end(), random);
    FixedSum first, second;
    const size_t split = random() % values.size();
    for (size_t i = 0; i < values.size(); ++i) (i < split ? first : second).Add(values[i]);
    first.Merge(second);
    WireWriter out;
    first.Write(out);
    ASSERT_EQ(out.Take(), bytes);
  }
}

TEST(FixedSum, ReadsWhatItWrote) {
  for (const double value : {0.0, 1.0, -1.0, -0x1p-298, 3.5e38, -0x1p260, 0x1p-234}) {
    FixedSum sum;
    sum.Add(value);
    WireWriter out;
    sum.Write(out);
    const std::string bytes = out.Take();
    WireReader in(bytes);
    EXPECT_EQ(FixedSum::Read(in).ToDouble(), value);
    EXPECT_TRUE(in.AtEnd());
  }
}

}  // namespace
}  // namespace preon
