#include "report/text_writer.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(FigureText, ZeroHasNoSign) {
  EXPECT_EQ(FigureText(-0.04, "%.1f dB"), "0.0 dB");
  EXPECT_EQ(FigureText(-0.00001, "%.4f nats"), "0.0000 nats");
  EXPECT_EQ(FigureText(-0.06, "%.1f dB"), "-0.1 dB");
  EXPECT_EQ(FigureText(0.5, "%.1f %%", 100), "50.0 %");
  EXPECT_EQ(FigureText(std::nullopt, "%.1f"), "-");
}

}  // namespace
}  // namespace preon
