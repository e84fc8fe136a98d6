#include "ir/model_io.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/output/temp_dir.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Names that the order of has no meaning; preon writes them sorted, or in graph order.
template <typename Entries>
void SortByName(Entries* entries) {
  std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// Typed fields become raw data: the one form that preon writes.
void MakeRaw(onnx::TensorProto* tensor) {
  const auto move = [tensor](auto* field) {
    if (!field->empty()) tensor->set_raw_data(field->data(), field->size() * sizeof(*field->data()));
    field->Clear();
  };
  move(tensor->mutable_float_data());
  move(tensor->mutable_int64_data());
  if (tensor->data_type() == onnx::TensorProto::INT32) {
    move(tensor->mutable_int32_data());
  } else {  // 8-bit types; the models here have no other
    for (int32_t value : tensor->int32_data()) tensor->mutable_raw_data()->push_back(static_cast<char>(value));
    tensor->clear_int32_data();
  }
  if (!tensor->has_raw_data()) tensor->set_raw_data("");
  tensor->clear_data_location();
}

// Facts about tensors that some optimizer has long removed.
void DropStaleValues(onnx::GraphProto* graph) {
  std::set<std::string> defined;
  for (const auto& tensor : graph->initializer()) defined.insert(tensor.name());
  for (const auto& node : graph->node()) defined.insert(node.output().begin(), node.output().end());
  auto* values = graph->mutable_value_info();
  values->erase(std::remove_if(values->begin(), values->end(), [&](const auto& v) { return !defined.count(v.name()); }),
                values->end());
}

// What may differ between a file and what is written for it: orders without meaning and ways to store a tensor.
void NormalizeGraph(onnx::GraphProto* graph) {
  for (auto& tensor : *graph->mutable_initializer()) MakeRaw(&tensor);
  SortByName(graph->mutable_initializer());
  SortByName(graph->mutable_input());
  SortByName(graph->mutable_value_info());
  DropStaleValues(graph);
  for (auto& node : *graph->mutable_node()) {
    SortByName(node.mutable_attribute());
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) MakeRaw(attribute.mutable_t());
      if (attribute.has_g()) NormalizeGraph(attribute.mutable_g());
    }
    if (node.name().empty()) node.clear_name();
    if (node.domain().empty()) node.clear_domain();
    if (node.doc_string().empty()) node.clear_doc_string();
  }
}

void Normalize(onnx::ModelProto* model) {
  if (model->model_version() == 0) model->clear_model_version();
  if (model->doc_string().empty()) model->clear_doc_string();
  NormalizeGraph(model->mutable_graph());
  std::sort(model->mutable_opset_import()->begin(), model->mutable_opset_import()->end(),
            [](const auto& a, const auto& b) { return a.domain() < b.domain(); });
  for (auto& opset : *model->mutable_opset_import()) opset.set_domain(opset.domain());
}

void ExpectEqual(onnx::ModelProto wanted, onnx::ModelProto got) {
  Normalize(&wanted);
  Normalize(&got);
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  EXPECT_TRUE(differencer.Compare(wanted, got)) << differences.substr(0, 2000);
}

constexpr char kSmall[] = R"(
  <ir_version: 8, opset_import: ["": 17]>
  small (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
    a = Mul(x, w)
    y = Relu(a)
  })";

TEST(ModelIo, RealModelsComeBackEqual) {
  const std::vector<std::string> paths = RealModelPaths();
  if (paths.empty()) GTEST_SKIP() << "no real models: set PREON_DATA";
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const Result<Model> model = LoadModel(path);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    EXPECT_TRUE(CheckModel(*model).ok());
    onnx::ModelProto wanted;
    ASSERT_TRUE(wanted.ParseFromString(*ReadFile(path)));
    ExpectEqual(std::move(wanted), ToProtoByBytes(*model));
  }
}

// One of everything that preon does not look into.
TEST(ModelIo, LosesNothing) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  proto.set_producer_name("tests");
  proto.set_producer_version("1.2");
  proto.set_domain("org.example");
  proto.set_model_version(7);
  proto.set_doc_string("about the model");
  const auto add = [](auto* entries, const char* key, const char* value) {
    auto* entry = entries->Add();
    entry->set_key(key);
    entry->set_value(value);
  };
  add(proto.mutable_metadata_props(), "second", "2");
  add(proto.mutable_metadata_props(), "first", "1");
  auto* opset = proto.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
  proto.add_training_info()->mutable_algorithm()->set_name("training");
  proto.add_configuration()->set_name("devices");
  onnx::FunctionProto* function = proto.add_functions();
  function->set_name("Twice");
  function->set_domain("org.example");
  function->add_node()->set_op_type("Add");

  onnx::GraphProto* graph = proto.mutable_graph();
  graph->set_doc_string("about the graph");
  add(graph->mutable_metadata_props(), "graph", "g");
  auto* annotation = graph->add_quantization_annotation();
  annotation->set_tensor_name("a");
  add(annotation->mutable_quant_parameter_tensor_names(), "SCALE_TENSOR", "w");
  onnx::SparseTensorProto* sparse = graph->add_sparse_initializer();
  sparse->mutable_values()->set_name("sparse");
  sparse->mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse->mutable_values()->add_dims(1);
  sparse->mutable_values()->add_float_data(5);
  sparse->mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse->mutable_indices()->add_dims(1);
  sparse->mutable_indices()->add_int64_data(2);
  sparse->add_dims(3);

  onnx::ValueInfoProto* input = graph->mutable_input(0);
  input->set_doc_string("an image");
  add(input->mutable_metadata_props(), "kind", "image");
  input->mutable_type()->set_denotation("IMAGE");
  input->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_denotation("DATA_CHANNEL");
  graph->mutable_initializer(0)->set_doc_string("weights");
  add(graph->mutable_initializer(0)->mutable_metadata_props(), "kind", "weight");
  onnx::ValueInfoProto* value = graph->add_value_info();
  value->set_name("a");
  value->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  value->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("N");

  onnx::NodeProto* node = graph->mutable_node(0);
  node->set_name("mul");
  node->set_doc_string("about the node");
  node->set_overload("fast");
  add(node->mutable_metadata_props(), "origin", "layer 1");
  const auto attribute = [node](const char* name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto* fresh = node->add_attribute();
    fresh->set_name(name);
    fresh->set_type(type);
    return fresh;
  };
  attribute("documented", onnx::AttributeProto::INT)->set_doc_string("why 0");
  node->mutable_attribute(0)->set_i(0);
  onnx::TensorProto* tensor = attribute("tensor", onnx::AttributeProto::TENSOR)->mutable_t();
  tensor->set_name("its own name");
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_float_data(1);
  attribute("type", onnx::AttributeProto::TYPE_PROTO)->mutable_tp()->mutable_tensor_type()->set_elem_type(1);
  attribute("strings", onnx::AttributeProto::STRINGS)->add_strings(std::string("a"));
  attribute("floats", onnx::AttributeProto::FLOATS)->add_floats(0.5f);
  *attribute("sparse", onnx::AttributeProto::SPARSE_TENSOR)->mutable_sparse_tensor() = *sparse;

  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->function_ops.count("org.example:Twice"), 1u);
  EXPECT_TRUE(model->graph.HasTensor("sparse"));
  ExpectEqual(proto, ToProtoByBytes(*model));
  const Model copy = *model;
  ExpectEqual(proto, ToProtoByBytes(copy));
}

TEST(ModelIo, UnnamedNodesGetNamesThatAreNotWritten) {
  const Result<Model> model = LoadProto(ProtoFromText(kSmall));
  ASSERT_TRUE(model.ok());
  const Node* mul = model->graph.FindNode("Mul_0");
  ASSERT_NE(mul, nullptr);
  EXPECT_FALSE(mul->named_by_user);
  EXPECT_TRUE(mul->origins.empty());
  EXPECT_FALSE(ToProtoByBytes(*model).graph().node(0).has_name());
}

TEST(ModelIo, RepeatedNodeNamesBecomeUniqueAndTheOldOneStaysAnOrigin) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  for (auto& node : *proto.mutable_graph()->mutable_node()) node.set_name("layer");
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok());
  const Node* relu = model->graph.Producer("y");
  EXPECT_EQ(relu->name, "layer_1");
  EXPECT_THAT(relu->origins, ElementsAre("layer"));
}

TEST(ModelIo, NoMadeUpNameTakesAUsersName) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  proto.mutable_graph()->mutable_node(1)->set_name("Mul_0");
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->graph.FindNode("Mul_0")->op_type, "Relu");
  EXPECT_EQ(model->graph.Producer("a")->name, "Mul_0_");
}

TEST(ModelIo, NodesInAnyOrderAreSorted) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  proto.mutable_graph()->mutable_node()->SwapElements(0, 1);
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->graph.nodes().front()->op_type, "Mul");
}

TEST(ModelIo, InitializersThatAreInputsAreToldApart) {
  const onnx::ModelProto proto = ProtoFromText(R"(
    <ir_version: 3, opset_import: ["": 8]>
    old (float[3] x, float[3] w) => (float[3] y) <float[3] w = {1, 2, 3}> { y = Mul(x, w) })");
  Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok());
  EXPECT_THAT(model->graph.inputs(), ElementsAre("x"));
  EXPECT_EQ(model->graph.overridable_initializers.count("w"), 1u);
  ExpectEqual(proto, ToProtoByBytes(*model));

  // A constant that is no input needs IR 4, where those that are inputs would no longer be constants.
  model->graph.SetInitializer("fresh", Tensor::ScalarFloat(1));
  const onnx::ModelProto raised = ToProtoByBytes(*model);
  EXPECT_EQ(raised.ir_version(), 4);
  EXPECT_EQ(raised.graph().input_size(), 1);
}

TEST(ModelIo, SubgraphsStayWholeAndTheirReadsAreSeen) {
  const onnx::ModelProto proto = ProtoFromText(R"(
    <ir_version: 8, opset_import: ["": 17]>
    outer (float[3] x, bool c, int64 n) => (float[3] y) {
      a = Relu(x)
      b = Neg(x)
      y = Loop(n, c, x) <body = inner (int64 i, bool k, float[3] v) => (bool more, float[3] w) {
        more = Identity(k)
        e = If(c) <then_branch = deep () => (float[3] d) { d = Neg(b) }, else_branch = pass () => (float[3] a) {}>
        w = Add(v, e)
      }>
    })");
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const Node* loop = model->graph.Producer("y");
  EXPECT_TRUE(loop->HasSubgraph());
  EXPECT_THAT(loop->Captures(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(model->graph.HasCapturedUse("b"));
  ExpectEqual(proto, ToProtoByBytes(*model));
}

TEST(ModelIo, AFileHoldsTheSameBytesAsSerialized) {
  const TempDir dir = *TempDir::Create(fs::temp_directory_path().string());
  const Model model = *LoadProto(ProtoFromText(kSmall));
  ASSERT_TRUE(SaveModel(model, dir.File("m.onnx")).ok());
  EXPECT_EQ(*ReadFile(dir.File("m.onnx")), *SerializeModel(model));
  const Model again = *LoadModel(dir.File("m.onnx"));
  EXPECT_EQ(*SerializeModel(again), *SerializeModel(model));
  EXPECT_EQ(again.source_path, dir.File("m.onnx"));
}

TEST(ModelIo, TheFingerprintFollowsTheBytes) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  const std::string before = LoadProto(proto)->fingerprint;
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(LoadProto(proto, "another/name.onnx")->fingerprint, before);
  proto.mutable_graph()->mutable_initializer(0)->set_float_data(0, 7);
  EXPECT_NE(LoadProto(proto)->fingerprint, before);
}

TEST(ModelIo, ADomainSpelledOutIsTheStandardOne) {
  onnx::ModelProto proto = ProtoFromText(kSmall);
  proto.mutable_opset_import(0)->set_domain("ai.onnx");
  proto.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->opset(), 17);
  EXPECT_TRUE(model->graph.Producer("a")->Is("Mul"));
}

}  // namespace
}  // namespace preon
