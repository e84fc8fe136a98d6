#include "passes/fix_shapes.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

Model Open() {
  Result<Model> model = ParseModelText(R"(<ir_version: 8, opset_import: ["" : 15]>
    g (float[N, 3, H, H] x, float[N] s) => (float[N, M] y, float[3] z) {
      f = Flatten(x)
      y = Relu(f)
      z = ReduceSum<keepdims = 0>(s)
    })");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *std::move(model);
}

TEST(FixShapes, NamesOfDimensionsCountEverywhere) {
  Model model = Open();
  ASSERT_TRUE(FixShapes(model, {{"x", {2, 3, 4, 4}}}).ok());
  EXPECT_EQ(model.graph.ShapeOf("x"), (Shape{2, 3, 4, 4}));
  EXPECT_EQ(model.graph.ShapeOf("s"), (Shape{2}));
  EXPECT_EQ(model.graph.ShapeOf("f"), (Shape{2, 48}));
  EXPECT_EQ((*model.graph.ShapeOf("y"))[0], 2);
}

TEST(FixShapes, RefusesWhatDoesNotFit) {
  const auto problem = [](const std::map<std::string, Shape>& shapes) {
    Model model = Open();
    const Status status = FixShapes(model, shapes);
    EXPECT_EQ(model.graph.ShapeOf("x"), Open().graph.ShapeOf("x"));
    return status.id();
  };
  EXPECT_EQ(problem({{"X", {2, 3, 4, 4}}}), ErrorId::kNameNotInModel);
  EXPECT_EQ(problem({{"f", {2, 48}}}), ErrorId::kNameNotInModel);
  EXPECT_EQ(problem({{"x", {2, 3, 4}}}), ErrorId::kBadOptionValue);     // rank
  EXPECT_EQ(problem({{"x", {2, 4, 4, 4}}}), ErrorId::kBadOptionValue);  // fixed otherwise
  EXPECT_EQ(problem({{"x", {2, 3, 4, 5}}}), ErrorId::kBadOptionValue);  // H twice
  EXPECT_EQ(problem({{"x", {2, 3, 4, 4}}, {"s", {1}}}), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
