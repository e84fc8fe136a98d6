#include "ir/input/inline_functions.h"

#include "ir/test_protos.h"

namespace preon {
namespace {

constexpr char kTwoCalls[] = R"(<ir_version: 8, opset_import: ["": 17, "own": 1]>
  g (float[N, 4] x, float[4, 4] w) => (float[N, 4] y) {
    a = own.Layer(x, w)
    y = own.Layer(a, w)
  }
  <domain: "own", opset_import: ["": OPSET]>
  Layer (x, w) => (y) {
    product = MatMul(x, w)
    y = Relu(product)
  })";

Model Loaded(const std::string& opset, bool inlines) {
  std::string text = kTwoCalls;
  text.replace(text.find("OPSET"), 5, opset);
  const std::string bytes = ProtoFromText(text).SerializeAsString();
  return LoadModel("model.onnx", {.bytes = bytes, .inline_functions = inlines}).value();
}

std::vector<std::string> Operators(const Model& model) {
  std::vector<std::string> types;
  for (const auto& node : model.graph.nodes()) types.push_back(node->op_type);
  return types;
}

TEST(InlineFunctions, CallsBecomeTheirNodes) {
  const Model model = Loaded("17", true);
  EXPECT_EQ(Operators(model), (std::vector<std::string>{"MatMul", "Relu", "MatMul", "Relu"}));
  EXPECT_TRUE(model.opaque_functions.empty());
  EXPECT_TRUE(model.graph.CheckIntegrity().ok());
}

TEST(InlineFunctions, OnlyWhereItIsAskedFor) {
  const Model model = Loaded("17", false);
  EXPECT_EQ(Operators(model), (std::vector<std::string>{"Layer", "Layer"}));
  EXPECT_EQ(model.opaque_functions.size(), 1u);
}

TEST(InlineFunctions, FunctionsOfAnotherOpsetStay) {
  const Model model = Loaded("13", true);
  EXPECT_EQ(Operators(model), (std::vector<std::string>{"Layer", "Layer"}));
  EXPECT_EQ(model.opaque_functions.size(), 1u);
}

}  // namespace
}  // namespace preon
