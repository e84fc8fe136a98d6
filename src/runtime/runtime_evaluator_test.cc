#include "runtime/runtime_evaluator.h"

#include <gtest/gtest.h>

#include "ir/test_models.h"

namespace preon {
namespace {

Result<std::vector<Tensor>> Evaluate(const Model& model, const Node& node, const std::vector<NamedTensor>& inputs) {
  const RunContext context;
  return RuntimeEvaluator(context).Evaluate(model, node, inputs);
}

TEST(RuntimeEvaluatorTest, GivesAllOutputsInOrder) {
  Model model = test::EmptyModel({4});
  model.graph.SetInitializer("split", Tensor::FromInt64s({2}, std::vector<int64_t>{1, 3}));
  const Node* node = model.graph.AddNode("Split", {"x", "split"}, {"a", "b"}, "split_1");
  const Tensor x = test::Wave({4});
  const auto outputs = Evaluate(model, *node, {{"x", x}, {"split", *model.graph.Initializer("split")}});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs.value().size(), 2u);
  EXPECT_EQ(outputs.value()[0].shape(), (Shape{1}));
  EXPECT_EQ(outputs.value()[0].floats()[0], x.floats()[0]);
  EXPECT_EQ(outputs.value()[1].floats()[2], x.floats()[3]);
}

TEST(RuntimeEvaluatorTest, LeftOutOutputsAreEmpty) {
  Model model = test::EmptyModel({4});
  const Node* node = model.graph.AddNode("Dropout", {"x"}, {"y", ""}, "dropout");
  const auto outputs = Evaluate(model, *node, {{"x", test::Wave({4})}});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs.value().size(), 2u);
  EXPECT_EQ(outputs.value()[1].type(), DataType::kUndefined);
}

TEST(RuntimeEvaluatorTest, TheRuntimesWordsNameTheNode) {
  Model model = test::EmptyModel({4});
  const Node* node = model.graph.AddNode("Add", {"x", "y"}, {"z"}, "add_9");
  const auto outputs = Evaluate(model, *node, {{"x", test::Wave({4})}, {"y", test::Wave({3})}});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.status().id(), ErrorId::kRuntimeLoad) << outputs.status().ToString();
  EXPECT_NE(outputs.status().message().find("add_9"), std::string::npos) << outputs.status().ToString();
}

}  // namespace
}  // namespace preon
