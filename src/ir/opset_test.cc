// What conversion does to structure and names; that outputs stay equal is tests/differential/opset_test.cc.
#include <gmock/gmock.h>

#include <limits>

#include "ir/test_protos.h"

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConvertOpset, NamesOfNodesAndTensorsStay) {
  onnx::ModelProto proto = ProtoFromText(R"(
    <ir_version: 3, opset_import: ["": 8, "com.microsoft": 1]>
    old (float[2, 4] x) => (float[2, 2] y) {
      clipped = Clip<min = 0.0, max = 6.0>(x)
      sliced = Slice<axes = [1], starts = [0], ends = [2]>(clipped)
      y = com.microsoft.Gelu(sliced)
    })");
  proto.mutable_graph()->mutable_node(0)->set_name("relu6");
  Model model = *LoadProto(proto);
  ASSERT_TRUE(ConvertOpset(model, 21).ok());
  EXPECT_EQ(model.opset(), 21);
  EXPECT_EQ(model.opsets.at("com.microsoft"), 1);
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(model.graph.Producer("clipped")->name, "relu6");
  EXPECT_THAT(model.graph.Producer("clipped")->origins, ElementsAre("relu6"));
  EXPECT_EQ(model.graph.Initializer(model.graph.Producer("clipped")->input(2))->floats()[0], 6.0f);
  EXPECT_EQ(model.graph.Producer("y")->domain, "com.microsoft");
  EXPECT_TRUE(model.graph.CheckIntegrity().ok());
}

TEST(ConvertOpset, WhatIsThereAlreadyIsNotTouched) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) { y = Relu(x) })");
  const std::string before = *SerializeModel(model);
  ASSERT_TRUE(ConvertOpset(model, 17).ok());
  ASSERT_TRUE(ConvertOpset(model, 13).ok());
  EXPECT_EQ(*SerializeModel(model), before);
}

TEST(ConvertOpset, AModelOfAnotherDomainGetsTheImport) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["org.example": 1]>
    g (float[2] x) => (float[2] y) { y = org.example.Foo(x) })");
  ASSERT_TRUE(ConvertOpset(model, 21).ok());
  EXPECT_EQ(model.opset(), 21);
}

TEST(ConvertOpset, AFailureLeavesTheModelAsItWas) {
  const char* impossible[] = {
      "y = BatchNormalization<spatial = 0>(a, s, s, s, s)",
      "y, mean, var, sm, sv = BatchNormalization(a, s, s, s, s)  z = Relu(mean)",
      "y, mask = Dropout(a)  z = Relu(mask)",
  };
  for (const char* body : impossible) {
    SCOPED_TRACE(body);
    Model model = LoadText(StrCat(R"(<ir_version: 3, opset_import: ["": 7]>
      g (float[1, 2, 3] x, float[2] s) => (float[1, 2, 3] y) { a = Clip<min = 0.0>(x)  )",
                                  body, "}"));
    const std::string before = *SerializeModel(model);
    const Status status = ConvertOpset(model, 21);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.id(), ErrorId::kOpsetConversion);
    EXPECT_THAT(status.message(), HasSubstr("model.onnx: opset 7 to 21: node "));
    EXPECT_THAT(status.message(), HasSubstr("no conversion for operator"));
    EXPECT_EQ(*SerializeModel(model), before);
  }
}

TEST(ConvertOpset, AnOpsetThatDoesNotExistYetIsRefused) {
  Model model = LoadText(R"(<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) { y = Relu(x) })");
  EXPECT_EQ(ConvertOpset(model, NewestOpset() + 1).id(), ErrorId::kOpsetConversion);
  EXPECT_EQ(model.opset(), 17);
  EXPECT_TRUE(ConvertOpset(model, NewestOpset()).ok());
}

TEST(ConvertOpset, InputsThatIr3HadToListBecomeConstants) {
  Model model = LoadText(R"(<ir_version: 3, opset_import: ["": 8]>
    g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Mul(x, w) })");
  ASSERT_TRUE(ConvertOpset(model, 13).ok());
  EXPECT_TRUE(model.graph.overridable_initializers.empty());
  EXPECT_NE(model.graph.Initializer("w"), nullptr);
  EXPECT_TRUE(CheckModel(model).ok());
}

TEST(ConvertOpset, InputsThatIr4ListsStayInputs) {
  Model model = LoadText(R"(<ir_version: 4, opset_import: ["": 9]>
    g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Mul(x, w) })");
  ASSERT_TRUE(ConvertOpset(model, 13).ok());
  EXPECT_EQ(model.graph.overridable_initializers.count("w"), 1u);
}

TEST(ConvertOpset, BodiesOfSubgraphsAreConvertedAndKeepTheirReads) {
  Model model = LoadText(R"(<ir_version: 4, opset_import: ["": 9]>
    g (float[2, 4] x, bool c, int64 n) => (float[2, 4] y) {
      a = Relu(x)
      y = Loop(n, c, x) <body = b (int64 i, bool k, float[2, 4] v) => (bool more, float[2, 4] w) {
        more = Identity(k)
        u = Unsqueeze<axes = [0]>(a)
        s = Squeeze<axes = [0]>(u)
        w = Add(v, s)
      }>
    })");
  ASSERT_TRUE(ConvertOpset(model, 21).ok());
  EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
  EXPECT_THAT(model.graph.Producer("y")->Captures(), ElementsAre("a"));
  const onnx::ModelProto proto = ToProtoByBytes(model);
  const onnx::GraphProto& body = proto.graph().node(1).attribute(0).g();
  EXPECT_EQ(body.input_size(), 3);
  EXPECT_EQ(body.node(1).input_size(), 2);
  EXPECT_TRUE(model.graph.CheckIntegrity().ok());
}

TEST(ConvertOpset, BranchesAreConverted) {
  Model model = LoadText(R"(<ir_version: 4, opset_import: ["": 9]>
    g (float[2, 4] x, bool c) => (float[2, 4] y) {
      a = Relu(x)
      y = If(c) <
        then_branch = t () => (float[2, 4] t) { t = Clip<min = 0.0, max = 1.0>(a) },
        else_branch = e () => (float[2, 4] e) { u = Unsqueeze<axes = [0]>(x)  e = Squeeze<axes = [0]>(u) }>
    })");
  ASSERT_TRUE(ConvertOpset(model, 21).ok());
  EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
  const onnx::ModelProto proto = ToProtoByBytes(model);
  ASSERT_EQ(proto.graph().node_size(), 2);
  const onnx::GraphProto& other = proto.graph().node(1).attribute(0).g();  // attributes are sorted: else, then
  ASSERT_EQ(other.node_size(), 2);
  EXPECT_EQ(other.node(0).input_size(), 2);
  EXPECT_TRUE(model.graph.CheckIntegrity().ok());
}

TEST(ConvertOpset, FunctionsMustMeanTheSameAfterwards) {
  const auto with_function = [](const char* body) {
    return LoadText(StrCat(R"(<ir_version: 8, opset_import: ["": 12, "local": 1]>
      g (float[2, 4] x) => (float[2, 4] y) { y = local.f(x) }
      <domain: "local", opset_import: ["": 12]> f (a) => (b) {)",
                           body, "}"));
  };
  Model same = with_function("b = Relu(a)");
  ASSERT_TRUE(ConvertOpset(same, 21).ok());
  EXPECT_EQ(ToProtoByBytes(same).functions(0).opset_import(0).version(), 21);
  Model changed = with_function("b = Softmax(a)");
  EXPECT_EQ(ConvertOpset(changed, 21).id(), ErrorId::kOpsetConversion);

  onnx::FunctionProto absurd;
  ASSERT_TRUE(absurd.ParseFromString(same.opaque_functions[0]));
  absurd.mutable_opset_import(0)->set_version(std::numeric_limits<int64_t>::min());
  same.opaque_functions[0] = absurd.SerializeAsString();
  EXPECT_EQ(ConvertOpset(same, 22).id(), ErrorId::kOpsetConversion);  // Relu changed at opset 6
}

}  // namespace
}  // namespace preon
