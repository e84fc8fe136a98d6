// What a damaged or hostile model says: one documented error, the place in its message, never a crash.
#include <gmock/gmock.h>

#include <functional>
#include <ostream>

#include "base/file.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* name;
  ErrorId id;
  const char* message;
  std::function<void(onnx::ModelProto*)> damage;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// x -> Mul(w) -> a -> Relu -> y
onnx::ModelProto Valid() {
  return ProtoFromText(R"(
    <ir_version: 8, opset_import: ["": 17]>
    small (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { a = Mul(x, w)  y = Relu(a) })");
}

onnx::TensorProto* Weights(onnx::ModelProto* model) { return model->mutable_graph()->mutable_initializer(0); }

const Case kCases[] = {
    {"NoGraph", ErrorId::kModelMalformed, "holds no graph", [](auto* m) { m->clear_graph(); }},
    {"NoOpset", ErrorId::kModelMalformed, "names no opset", [](auto* m) { m->clear_opset_import(); }},
    {"OldOpset", ErrorId::kOpsetUnsupported, "opset 6; wanted 7 to",
     [](auto* m) { m->mutable_opset_import(0)->set_version(6); }},
    {"FutureOpset", ErrorId::kOpsetUnsupported, "opset 9999",
     [](auto* m) { m->mutable_opset_import(0)->set_version(9999); }},
    {"NegativeOpset", ErrorId::kOpsetUnsupported, "opset -1",
     [](auto* m) { m->mutable_opset_import(0)->set_version(-1); }},
    {"OldIr", ErrorId::kOpsetUnsupported, "IR version 2; wanted 3 to", [](auto* m) { m->set_ir_version(2); }},
    {"NoIr", ErrorId::kOpsetUnsupported, "IR version 0", [](auto* m) { m->clear_ir_version(); }},
    {"FutureIr", ErrorId::kOpsetUnsupported, "IR version 99", [](auto* m) { m->set_ir_version(99); }},
    {"OnlyAnotherDomain", ErrorId::kModelInvalid, "imports no opset of it",
     [](auto* m) { m->mutable_opset_import(0)->set_domain("org.example"); }},
    {"NoOutput", ErrorId::kModelInvalid, "no output", [](auto* m) { m->mutable_graph()->clear_output(); }},
    {"OutputNobodyWrites", ErrorId::kModelInvalid, "nothing writes graph output 'z'",
     [](auto* m) { m->mutable_graph()->mutable_output(0)->set_name("z"); }},
    {"OutputTwice", ErrorId::kModelInvalid, "'y' is listed twice",
     [](auto* m) { *m->mutable_graph()->add_output() = m->graph().output(0); }},
    {"NamelessOutput", ErrorId::kModelInvalid, "a graph output has no name",
     [](auto* m) { m->mutable_graph()->mutable_output(0)->clear_name(); }},
    {"NamelessInput", ErrorId::kModelInvalid, "a graph input has no name",
     [](auto* m) { m->mutable_graph()->mutable_input(0)->clear_name(); }},
    {"NamelessInitializer", ErrorId::kModelInvalid, "an initializer has no name",
     [](auto* m) { Weights(m)->clear_name(); }},
    {"InputTwice", ErrorId::kModelInvalid, "'x' is defined twice",
     [](auto* m) { *m->mutable_graph()->add_input() = m->graph().input(0); }},
    {"InitializerTwice", ErrorId::kModelInvalid, "'w' is defined twice",
     [](auto* m) { *m->mutable_graph()->add_initializer() = m->graph().initializer(0); }},
    {"SparseInitializerTwice", ErrorId::kModelInvalid, "'w' is defined twice",
     [](auto* m) { m->mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("w"); }},
    {"OutputWrittenTwice", ErrorId::kModelInvalid, "'a' is defined twice",
     [](auto* m) { m->mutable_graph()->mutable_node(1)->set_output(0, "a"); }},
    {"OneNodeWritesATensorTwice", ErrorId::kModelInvalid, "writes tensor 'a' that is defined already",
     [](auto* m) { m->mutable_graph()->mutable_node(0)->add_output("a"); }},
    {"NodeWritesAnInput", ErrorId::kModelInvalid, "'x' is defined twice",
     [](auto* m) { m->mutable_graph()->mutable_node(0)->set_output(0, "x"); }},
    {"NodeWritesAnInitializer", ErrorId::kModelInvalid, "'w' is defined twice",
     [](auto* m) { m->mutable_graph()->mutable_node(0)->set_output(0, "w"); }},
    {"UndefinedInput", ErrorId::kModelInvalid, "node Relu_1 reads tensor 'ghost' that nothing writes",
     [](auto* m) { m->mutable_graph()->mutable_node(1)->set_input(0, "ghost"); }},
    {"MissingInitializer", ErrorId::kModelInvalid, "node Mul_0 reads tensor 'w' that nothing writes",
     [](auto* m) { m->mutable_graph()->clear_initializer(); }},
    {"Cycle", ErrorId::kModelInvalid, "node Mul_0 depends on its own output",
     [](auto* m) { m->mutable_graph()->mutable_node(0)->set_input(0, "y"); }},
    {"SelfLoop", ErrorId::kModelInvalid, "node Mul_0 depends on its own output",
     [](auto* m) { m->mutable_graph()->mutable_node(0)->set_input(0, "a"); }},
    {"NodeWithoutOperator", ErrorId::kModelInvalid, "node 1 has no operator type",
     [](auto* m) { m->mutable_graph()->mutable_node(1)->clear_op_type(); }},
    {"TooFewValues", ErrorId::kModelInvalid, "tensor w: holds 3 values, which does not fit float [4]",
     [](auto* m) { Weights(m)->set_dims(0, 4); }},
    {"TooFewBytes", ErrorId::kModelInvalid, "tensor w: holds 5 bytes, which does not fit float [3]",
     [](auto* m) { Weights(m)->clear_float_data(), Weights(m)->set_raw_data(std::string("12345")); }},
    {"NoValues", ErrorId::kModelInvalid, "holds 0 values", [](auto* m) { Weights(m)->clear_float_data(); }},
    {"ValuesOfAnotherType", ErrorId::kModelInvalid, "does not fit int64 [3]",
     [](auto* m) { Weights(m)->set_data_type(onnx::TensorProto::INT64); }},
    {"NegativeDimension", ErrorId::kModelInvalid, "a dimension is negative: [-3]",
     [](auto* m) { Weights(m)->set_dims(0, -3); }},
    {"HugeDimensions", ErrorId::kModelInvalid, "is too large",
     [](auto* m) { Weights(m)->set_dims(0, int64_t{1} << 40), Weights(m)->add_dims(int64_t{1} << 40); }},
    {"HugeButAddressable", ErrorId::kModelInvalid, "does not fit",
     [](auto* m) { Weights(m)->set_dims(0, int64_t{1} << 50); }},
    {"UnknownElementType", ErrorId::kModelTypeUnsupported, "tensor w: element type 99",
     [](auto* m) { Weights(m)->set_data_type(99); }},
    {"NoElementType", ErrorId::kModelTypeUnsupported, "tensor w: element type 0",
     [](auto* m) { Weights(m)->clear_data_type(); }},
    {"SegmentedTensor", ErrorId::kModelTypeUnsupported, "segments",
     [](auto* m) { Weights(m)->mutable_segment()->set_begin(1); }},
    {"RawStrings", ErrorId::kModelInvalid, "strings can't be stored",
     [](auto* m) {
       Weights(m)->set_data_type(onnx::TensorProto::STRING), Weights(m)->set_raw_data(std::string("abc"));
     }},
    {"MissingStrings", ErrorId::kModelInvalid, "holds 0 strings",
     [](auto* m) { Weights(m)->set_data_type(onnx::TensorProto::STRING); }},
    {"BadAttributeTensor", ErrorId::kModelInvalid, "node Relu_1, attribute value: tensor",
     [](auto* m) {
       auto* attribute = m->mutable_graph()->mutable_node(1)->add_attribute();
       attribute->set_name("value");
       attribute->set_type(onnx::AttributeProto::TENSOR);
       attribute->mutable_t()->set_data_type(1);
     }},
    {"SubgraphReadsAGhost", ErrorId::kModelInvalid, "node Relu_1 reads tensor 'ghost'",
     [](auto* m) {
       auto* attribute = m->mutable_graph()->mutable_node(1)->add_attribute();
       attribute->set_name("body");
       attribute->set_type(onnx::AttributeProto::GRAPH);
       attribute->mutable_g()->add_node()->add_input("ghost");
     }},
};

class ModelErrors : public ::testing::TestWithParam<Case> {};

TEST_P(ModelErrors, AreDocumentedAndSayWhere) {
  onnx::ModelProto proto = Valid();
  ASSERT_TRUE(LoadProto(proto).ok());
  GetParam().damage(&proto);
  const Result<Model> model = LoadProto(proto);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().id(), GetParam().id) << model.status().ToString();
  EXPECT_THAT(model.status().message(), HasSubstr(GetParam().message));
  EXPECT_THAT(model.status().message(), ::testing::StartsWith("model.onnx: "));
}

INSTANTIATE_TEST_SUITE_P(All, ModelErrors, ::testing::ValuesIn(kCases), [](const auto& c) { return c.param.name; });

ErrorId LoadError(std::string_view bytes) {
  const Result<Model> model = LoadModel("x.onnx", {.bytes = bytes});
  return model.ok() ? ErrorId::kInternal : model.status().id();
}

TEST(ModelFiles, WhatIsNoModelIsSaid) {
  EXPECT_EQ(LoadError(""), ErrorId::kModelEmpty);
  EXPECT_EQ(LoadError("\x89PNG\r\n\x1a\n...."), ErrorId::kModelMalformed);
  EXPECT_EQ(LoadError("\xff\xd8\xff\xe0JFIF"), ErrorId::kModelMalformed);
  EXPECT_EQ(LoadError("a text, not a model\n"), ErrorId::kModelMalformed);
  EXPECT_EQ(LoadError(std::string(1000, '\0')), ErrorId::kModelMalformed);
  EXPECT_EQ(LoadModel("no/such.onnx").status().id(), ErrorId::kModelNotFound);
  EXPECT_EQ(LoadModel("/").status().id(), ErrorId::kModelNotFound);
  EXPECT_EQ(LoadModel("/dev/zero").status().id(), ErrorId::kModelNotFound);
}

TEST(ModelFiles, EveryPrefixOfAModelIsRefused) {
  const std::string bytes = Valid().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Result<Model> model = LoadModel("x.onnx", {.bytes = std::string_view(bytes).substr(0, size)});
    EXPECT_EQ(model.status().id(), size == 0 ? ErrorId::kModelEmpty : ErrorId::kModelMalformed)
        << size << " of " << bytes.size() << " bytes: " << model.status().ToString();
  }
}

}  // namespace
}  // namespace preon
