#include "ir/node_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;

constexpr char kText[] = R"(
<ir_version: 8, opset_import: ["" : 13, "custom" : 1]>
g (float[N, 3] x, bool c) => (float[N, 3] y)
<float[3] w = {1, 2, 3}>
{
  a = Add (x, w)
  b = custom.Twice <k = 7, list = [1, -2], text = "t"> (a)
  z = If (c) <then_branch = t () => (float[N, 3] u) { u = Mul (b, w) },
              else_branch = e () => (float[N, 3] v) { v = Neg (a) }>
  y = Identity (z)
}
)";

std::string Bytes() {
  const Result<Model> model = ParseModelText(kText);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return SerializeModel(*model).value();
}

TEST(NodeEditor, WithoutEditsTheModelStaysTheSame) {
  const std::string bytes = Bytes();
  const NodeEditor editor = NodeEditor::Parse(bytes).value();
  const Model before = LoadModel("before", {.bytes = bytes}).value();
  const std::string written = editor.Serialize();
  const Model after = LoadModel("after", {.bytes = written}).value();
  EXPECT_EQ(SerializeModel(after).value(), SerializeModel(before).value());
}

TEST(NodeEditor, ShowsWhatEditsNeed) {
  const std::string bytes = Bytes();
  NodeEditor editor = NodeEditor::Parse(bytes).value();
  const Graph& graph = editor.model().graph;
  EXPECT_THAT(graph.inputs(), ElementsAre("x", "c"));
  EXPECT_THAT(graph.outputs(), ElementsAre("y"));
  EXPECT_TRUE(graph.opaque_constants.contains("w"));
  EXPECT_EQ(graph.Producer("b")->Int("k", 0), 7);
  EXPECT_EQ(graph.Producer("b")->domain, "custom");
  EXPECT_EQ(graph.UseCount("a"), 2u) << "the branch reads it, too";
  EXPECT_TRUE(graph.HasCapturedUse("b"));
  EXPECT_EQ(graph.ShapeOf("x"), (Shape{kDynamicDim, 3}));
  EXPECT_EQ(graph.Info("x")->dim_names[0], "N");
  EXPECT_EQ(graph.TypeOf("c"), DataType::kBool);
  EXPECT_TRUE(graph.CheckIntegrity().ok());
}

TEST(NodeEditor, WritesEdits) {
  const std::string bytes = Bytes();
  NodeEditor editor = NodeEditor::Parse(bytes).value();
  Graph& graph = editor.model().graph;
  graph.RenameOutput("b", "b2");
  Node* added = graph.AddNode("Probe", {"b2"}, {"b"}, "", "custom");
  added->attributes = {{"index", int64_t{-3}}, {"indices", std::vector<int64_t>{5, -1}}};
  graph.ReplaceUses("z", "x");
  graph.RemoveNode(graph.Producer("z"));
  ASSERT_TRUE(graph.SortTopologically().ok());
  const std::string written = editor.Serialize();
  const Model model = LoadModel("edited", {.bytes = written}).value();
  const Node* probe = model.graph.Producer("b");
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(probe->op_type, "Probe");
  EXPECT_EQ(probe->Int("index", 0), -3);
  EXPECT_EQ(probe->Ints("indices"), (std::vector<int64_t>{5, -1}));
  EXPECT_EQ(model.graph.Producer("b2")->String("text", ""), "t");
  EXPECT_EQ(model.graph.Producer("b2")->Ints("list"), (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(model.graph.Producer("y")->input(0), "x");
  EXPECT_EQ(model.graph.Producer("z"), nullptr);
  EXPECT_NE(model.graph.Initializer("w"), nullptr);
}

TEST(NodeEditor, RefusesWhatIsCutShort) {
  const std::string bytes = Bytes();
  for (size_t size = 0; size < bytes.size(); size += 7) {
    const Result<NodeEditor> editor = NodeEditor::Parse(std::string_view(bytes).substr(0, size));
    // Behind the graph come fields that a model may be without.
    if (editor.ok()) {
      EXPECT_GT(size, bytes.size() / 2);
    } else {
      EXPECT_EQ(editor.status().id(), ErrorId::kModelMalformed);
    }
  }
}

// A server parses what anybody may have made: what breaks the rules of a graph is no reason to end.
TEST(NodeEditor, RefusesTensorsThatAreWrittenTwice) {
  const auto parse = [](std::vector<std::string> first, std::vector<std::string> second) {
    onnx::ModelProto model;
    model.mutable_graph()->add_input()->set_name("x");
    model.mutable_graph()->add_initializer()->set_name("w");
    for (const auto& outputs : {first, second}) {
      onnx::NodeProto* node = model.mutable_graph()->add_node();
      node->set_op_type("Relu");
      for (const std::string& output : outputs) node->add_output(output);
    }
    return NodeEditor::Parse(model.SerializeAsString()).status();
  };
  EXPECT_TRUE(parse({"a", "", ""}, {"b"}).ok());
  EXPECT_EQ(parse({"a"}, {"a"}).id(), ErrorId::kModelMalformed);
  EXPECT_EQ(parse({"a", "a"}, {"b"}).id(), ErrorId::kModelMalformed);
  EXPECT_EQ(parse({"x"}, {"b"}).id(), ErrorId::kModelMalformed);
  EXPECT_EQ(parse({"a"}, {"w"}).id(), ErrorId::kModelMalformed);
}

}  // namespace
}  // namespace preon
