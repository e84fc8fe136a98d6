#include "report/html/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr AxisScale kScales[] = {AxisScale::kLinear, AxisScale::kLog, AxisScale::kSymmetric};

TEST(Axis, GoesFromLowToHighAndStaysInside) {
  for (const AxisScale scale : kScales) {
    const Axis axis(scale, {0.25, 40, 3});
    EXPECT_EQ(axis.At(0.25), 0);
    EXPECT_EQ(axis.At(40), 1);
    EXPECT_EQ(axis.At(-7), 0);
    EXPECT_EQ(axis.At(1e9), 1);
    EXPECT_LT(axis.At(3), axis.At(4));
  }
}

TEST(Axis, Ticks) {
  const auto near = [](double x) { return DoubleNear(x, 1e-9); };
  EXPECT_THAT(Axis(AxisScale::kLinear, {0, 1}).Ticks(),
              ElementsAre(0, near(0.2), near(0.4), near(0.6), near(0.8), near(1)));
  EXPECT_THAT(Axis(AxisScale::kLog, {0.05, 200}).Ticks(), ElementsAre(near(0.1), near(1), near(10), near(100)));
  EXPECT_THAT(Axis(AxisScale::kLog, {1, 30}).Ticks(), ElementsAre(1, 2, 5, near(10), near(20)));
  EXPECT_THAT(Axis(AxisScale::kSymmetric, {-20, 150}).Ticks(), ElementsAre(near(-10), 0, near(10), near(100)));
}

TEST(Axis, OddData) {
  for (const AxisScale scale : kScales) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {0}, {-3, -3}, {1e30}, {-1e30, 1e30}, {1e-40, 2e-40}, {0, 5e-324}}) {
      const Axis axis(scale, values);
      for (const double value : {-1.0, 0.0, 1.0}) {
        EXPECT_TRUE(std::isfinite(axis.At(value)));
      }
      EXPECT_LE(axis.Ticks().size(), 12u);
    }
  }
}

}  // namespace
}  // namespace preon
