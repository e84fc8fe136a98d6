#include "ranges/refine/read_activation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

TEST(FindReadActivation, SiluInTwoNodes) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "t");
  g.Op("Sigmoid", {"t"}, "s");
  g.Op("Mul", {"s", "t"}, "y");
  g.Output("y");
  const ReadActivation silu = FindReadActivation(g.model.graph, "t");
  ASSERT_EQ(silu, ReadActivation::kSilu);
  EXPECT_NEAR(FunctionOf(silu)(-1), -1 / (1 + std::exp(1.0)), 1e-12);
  EXPECT_FALSE(FlatOnTheRight(silu));
}

TEST(FindReadActivation, SigmoidAlone) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "t");
  g.Op("Sigmoid", {"t"}, "y");
  g.Output("y");
  const ReadActivation sigmoid = FindReadActivation(g.model.graph, "t");
  ASSERT_EQ(sigmoid, ReadActivation::kSigmoid);
  EXPECT_DOUBLE_EQ(FunctionOf(sigmoid)(0), 0.5);
  EXPECT_TRUE(FlatOnTheRight(sigmoid));
}

TEST(FindReadActivation, OtherReadersAndOutputsSeeTheValuesThemselves) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "t");
  g.Op("Sigmoid", {"t"}, "s");
  g.Op("Mul", {"s", "x"}, "y");  // not by t itself
  g.Op("Add", {"t", "x"}, "z");
  g.Op("Relu", {"x"}, "u");
  g.Op("Sigmoid", {"u"}, "v");
  for (const char* output : {"y", "z", "u", "v"}) g.Output(output);
  EXPECT_EQ(FindReadActivation(g.model.graph, "t"), ReadActivation::kNone);
  EXPECT_EQ(FindReadActivation(g.model.graph, "u"), ReadActivation::kNone);
}

}  // namespace
}  // namespace preon
