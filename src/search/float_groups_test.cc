#include "search/float_groups.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

TEST(FloatGroups, FrontEndsAndHeadsOfEverySizeButAll) {
  const std::vector<NodeGroup> groups = EndGroups({"a", "b", "c"});
  EXPECT_EQ(groups, (std::vector<NodeGroup>{{"a"}, {"c"}, {"a", "b"}, {"b", "c"}}));
  EXPECT_TRUE(EndGroups({"a"}).empty());
}

TEST(FloatGroups, TheNextOnesToEitherSide) {
  test::GraphBuilder g({1, 4, 8, 8});
  g.Conv("x", "a");
  g.Op("Relu", {"a"}, "r");
  g.Conv("r", "b");
  g.Op("Sigmoid", {"b"}, "s");
  g.Conv("s", "c");
  g.Conv("c", "d");
  g.Output("d");
  const NodeGroup all = {"a_node", "b_node", "c_node", "d_node"};
  EXPECT_EQ(GroupAround(g.model.graph, all, "b_node"), (NodeGroup{"a_node", "b_node", "c_node"}));
  EXPECT_EQ(GroupAround(g.model.graph, all, "a_node"), (NodeGroup{"a_node", "b_node"}));
}

}  // namespace
}  // namespace preon
