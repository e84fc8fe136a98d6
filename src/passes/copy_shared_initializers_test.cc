#include "passes/copy_shared_initializers.h"

#include <gtest/gtest.h>

#include "ir/text_format.h"

namespace preon {
namespace {

Graph Copied(const std::vector<std::string>& op_types) {
  Result<Model> model = ParseModelText(R"(<ir_version: 8, opset_import: ["" : 15]>
    g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
      [first] a = MatMul(x, w)
      [second] b = MatMul(a, w)
      [sum] c = Add(b, w)
      [third] y = MatMul(c, w)
    })");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  CopySharedInitializers(model->graph, op_types);
  EXPECT_TRUE(model->graph.CheckIntegrity().ok());
  return model->graph;
}

std::vector<std::string> Reads(const Graph& graph) {
  std::vector<std::string> names;
  for (const char* node : {"first", "second", "sum", "third"}) names.push_back(graph.FindNode(node)->input(1));
  return names;
}

TEST(CopySharedInitializers, EachUseButTheFirst) {
  EXPECT_EQ(Reads(Copied({})), (std::vector<std::string>{"w", "duplicatedw2", "duplicatedw3", "duplicatedw4"}));
  EXPECT_EQ(Reads(Copied({"Add"})), (std::vector<std::string>{"w", "w", "duplicatedw2", "w"}));
  EXPECT_EQ(Reads(Copied({"Conv"})), (std::vector<std::string>{"w", "w", "w", "w"}));
}

// Who is not asked keeps the constant, also where it comes later.
TEST(CopySharedInitializers, OtherOperatorsKeepIt) {
  EXPECT_EQ(Reads(Copied({"MatMul"})), (std::vector<std::string>{"duplicatedw2", "duplicatedw3", "w", "duplicatedw4"}));
}

}  // namespace
}  // namespace preon
