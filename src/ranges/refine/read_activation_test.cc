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
  const auto function = FindReadActivation(g.model.graph, "t");
  ASSERT_TRUE(function.has_value());
  EXPECT_NEAR(function->of(-1), -1 / (1 + std::exp(1.0)), 1e-12);
  EXPECT_FALSE(function->flat_on_the_right);
}

TEST(FindReadActivation, SigmoidAlone) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "t");
  g.Op("Sigmoid", {"t"}, "y");
  g.Output("y");
  const auto function = FindReadActivation(g.model.graph, "t");
  ASSERT_TRUE(function.has_value());
  EXPECT_DOUBLE_EQ(function->of(0), 0.5);
  EXPECT_TRUE(function->flat_on_the_right);
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
  EXPECT_FALSE(FindReadActivation(g.model.graph, "t").has_value());
  EXPECT_FALSE(FindReadActivation(g.model.graph, "u").has_value());
}

}  // namespace
}  // namespace preon
