#include "runtime/session.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>

#include "base/output/temp_dir.h"
#include "ir/model_io.h"
#include "ir/test_models.h"

namespace preon {
namespace {

using test::EmptyModel;
using test::Wave;

/// y = x + x for x of `shape` and `type`.
Model Doubler(DataType type, const Shape& shape) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "doubler";
  model.graph.AddInput("x", {.type = type, .shape = shape});
  model.graph.AddNode("Add", {"x", "x"}, {"y"}, "add");
  model.graph.AddOutput("y", {.type = type, .shape = shape});
  return model;
}

Session Open(const Model& model) {
  Result<Session> session = Session::OpenModel(model, {}, {});
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return std::move(session).value();
}

ErrorId RunError(Session& session, const std::vector<NamedTensor>& feeds, const RunContext& context = {}) {
  const auto outputs = session.Run(feeds, context);
  return outputs.ok() ? ErrorId{} : outputs.status().id();
}

TEST(SessionTest, TellsInputsAndOutputs) {
  const Session session = Open(Doubler(DataType::kFloat, {kDynamicDim, 3}));
  ASSERT_EQ(session.inputs().size(), 1u);
  EXPECT_EQ(session.inputs()[0].name, "x");
  EXPECT_EQ(session.inputs()[0].type, DataType::kFloat);
  EXPECT_EQ(session.inputs()[0].shape, (Shape{kDynamicDim, 3}));
  ASSERT_EQ(session.outputs().size(), 1u);
  EXPECT_EQ(session.outputs()[0].name, "y");
}

TEST(SessionTest, OutputsOutliveTheSession) {
  std::vector<NamedTensor> outputs;
  {
    Session session = Open(Doubler(DataType::kFloat, {2, 2}));
    const std::vector<float> values = {1, -2, 3, 0.5f};
    outputs = session.Run({{"x", Tensor::FromFloats({2, 2}, values)}}, {}).value();
  }
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].name, "y");
  EXPECT_EQ(outputs[0].tensor.shape(), (Shape{2, 2}));
  const std::span<const float> doubled = outputs[0].tensor.floats();
  EXPECT_EQ(std::vector<float>(doubled.begin(), doubled.end()), (std::vector<float>{2, -4, 6, 1}));
}

TEST(SessionTest, AnOutputThatIsAnInputKeepsTheFeedAlive) {
  Model model = Doubler(DataType::kFloat, {2});
  model.graph.AddOutput("x", {.type = DataType::kFloat, .shape = Shape{2}});
  Session session = Open(model);
  const auto values = std::make_shared<std::array<float, 2>>(std::array<float, 2>{3, 4});
  const std::vector<NamedTensor> outputs =
      session.Run({{"x", Tensor(DataType::kFloat, {2}, std::as_bytes(std::span(*values)), values)}}, {}).value();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].tensor.floats()[0], 3);
  EXPECT_EQ(values.use_count(), 2);
}

/// Values of any type go in and come out unchanged.
Tensor ThroughIdentity(const Tensor& tensor) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "identity";
  model.graph.AddInput("x", {.type = tensor.type(), .shape = tensor.shape()});
  model.graph.AddNode("Identity", {"x"}, {"y"}, "identity");
  model.graph.AddOutput("y", {.type = tensor.type(), .shape = tensor.shape()});
  const auto outputs = Open(model).Run({{"x", tensor}}, {});
  EXPECT_TRUE(outputs.ok()) << DataTypeName(tensor.type()) << ": " << outputs.status().ToString();
  return outputs.ok() ? outputs.value()[0].tensor : Tensor();
}

class SessionTypeTest : public ::testing::TestWithParam<DataType> {};

TEST_P(SessionTypeTest, BytesGoThrough) {
  Tensor tensor = Tensor::Allocate(GetParam(), {3});
  int value = 0;
  for (std::byte& byte : tensor.MutableBytes()) byte = std::byte(value++ % 2);  // also valid as bool
  const Tensor out = ThroughIdentity(tensor);
  EXPECT_EQ(out.type(), GetParam());
  EXPECT_TRUE(std::equal(out.bytes().begin(), out.bytes().end(), tensor.bytes().begin(), tensor.bytes().end()));
}

INSTANTIATE_TEST_SUITE_P(All, SessionTypeTest,
                         ::testing::Values(DataType::kFloat, DataType::kDouble, DataType::kFloat16, DataType::kBFloat16,
                                           DataType::kBool, DataType::kInt8, DataType::kUInt8, DataType::kInt16,
                                           DataType::kUInt16, DataType::kInt32, DataType::kUInt32, DataType::kInt64,
                                           DataType::kUInt64),
                         [](const auto& param) { return std::string(DataTypeName(param.param)); });

TEST(SessionTest, StringsGoThrough) {
  const std::vector<std::string> strings = {"", "käse", std::string("a\0b", 3)};
  EXPECT_EQ(ThroughIdentity(Tensor::FromStrings({3}, strings)).strings(), strings);
}

TEST(SessionTest, EmptyTensorsGoThrough) {
  const Tensor out = ThroughIdentity(Tensor::FromFloats({0, 4}, {}));
  EXPECT_EQ(out.shape(), (Shape{0, 4}));
}

TEST(SessionTest, FeedsAreChecked) {
  Session session = Open(Doubler(DataType::kFloat, {kDynamicDim, 3}));
  EXPECT_EQ(RunError(session, {}), ErrorId::kDataInputName);
  EXPECT_EQ(RunError(session, {{"z", Wave({1, 3})}}), ErrorId::kDataInputName);
  EXPECT_EQ(RunError(session, {{"x", Wave({1, 4})}}), ErrorId::kDataShape);
  EXPECT_EQ(RunError(session, {{"x", Wave({3})}}), ErrorId::kDataShape);
  EXPECT_EQ(RunError(session, {{"x", Tensor::FromInt64s({1, 1}, std::vector<int64_t>{1})}}), ErrorId::kDataType);
  EXPECT_EQ(RunError(session, {{"x", Wave({2, 3})}}), ErrorId{});
}

TEST(SessionTest, MessagesNameModelInputAndWantedShape) {
  Session session = Open(Doubler(DataType::kFloat, {kDynamicDim, 3}));
  const Status status = session.Run({{"x", Wave({1, 4})}}, {}).status();
  EXPECT_EQ(status.message(), "'x': shape [1, 4], wanted [?, 3]");
}

TEST(SessionTest, UnknownOperatorIsALoadError) {
  Model model = EmptyModel({1});
  model.graph.AddNode("NoSuchOperator", {"x"}, {"y"}, "bad");
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{1}});
  const auto session = Session::OpenModel(model, {}, {});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().id(), ErrorId::kRuntimeLoad);
  EXPECT_NE(session.status().message().find("NoSuchOperator"), std::string::npos) << session.status().ToString();
  EXPECT_EQ(session.status().message().find('\n'), std::string::npos);
}

TEST(SessionTest, BytesThatAreNoModel) {
  EXPECT_EQ(Session::OpenBytes("no model", {}).status().id(), ErrorId::kRuntimeLoad);
  EXPECT_EQ(Session::OpenBytes("", {}).status().id(), ErrorId::kRuntimeLoad);
  EXPECT_EQ(Session::OpenFile("no/such/file.onnx", {}, {}).status().id(), ErrorId::kRuntimeLoad);
}

TEST(SessionTest, SequencesAreUnsupported) {
  Model model = EmptyModel({2});
  model.graph.AddNode("SequenceConstruct", {"x"}, {"y"}, "sequence");
  model.graph.AddOutput("y", {});  // the runtime infers that it is a sequence
  const auto session = Session::OpenModel(model, {}, {});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().id(), ErrorId::kModelTypeUnsupported) << session.status().ToString();
}

TEST(SessionTest, FailureInTheMiddleOfARunNamesTheNode) {
  Model model = EmptyModel({kDynamicDim});
  model.graph.SetInitializer("shape", Tensor::FromInt64s({2}, std::vector<int64_t>{7, 7}));
  model.graph.AddNode("Reshape", {"x", "shape"}, {"y"}, "reshape_7");
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{7, 7}});
  Session session = Open(model);
  const Status status = session.Run({{"x", Wave({5})}}, {}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kRuntimeRun);
  EXPECT_NE(status.message().find("reshape_7"), std::string::npos) << status.ToString();
}

TEST(SessionTest, ACancelledContextRunsNothing) {
  Session session = Open(Doubler(DataType::kFloat, {1}));
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(RunError(session, {{"x", Wave({1})}}, {.cancel = &cancel}), ErrorId::kCancelled);
}

TEST(SessionTest, SavesTheOptimizedModel) {
  const TempDir folder = TempDir::Create(RunContext{}.TempDir()).value();
  Model model = EmptyModel({1, 4});
  model.graph.AddNode("Identity", {"x"}, {"same"}, "identity");
  model.graph.AddNode("Relu", {"same"}, {"y"}, "relu");
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{1, 4}});
  const std::string path = folder.File("optimized.onnx");
  ASSERT_TRUE(Session::OpenModel(model, {.save_optimized_to = path}, {}).ok());
  const Result<Model> optimized = LoadModel(path);
  ASSERT_TRUE(optimized.ok()) << optimized.status().ToString();
  EXPECT_EQ(optimized.value().graph.nodes().size(), 1u);
}

TEST(SessionTest, MapsTheWeightFileAndTakesOtherWeightsFromMemory) {
  Model model = test::EmptyModel({1, 3, 8, 8});
  test::AddConv(model, "x", "a", 3, 16);
  test::AddConv(model, "a", "b", 16, 16);
  model.graph.AddOutput("b", {.type = DataType::kFloat});
  const auto outputs = [](const Model& opened) {
    Result<Session> session = Session::OpenModel(opened, {}, {});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    const std::vector<NamedTensor> got = *session->Run({{"x", test::Wave({1, 3, 8, 8})}}, {});
    const std::span<const float> values = got[0].tensor.floats();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> wanted = outputs(model);
  const Tensor in_memory = *model.graph.Initializer("a_w");
  ASSERT_TRUE(MoveWeightsToFile(model, ::testing::TempDir()).ok());
  EXPECT_EQ(outputs(model), wanted);
  model.graph.SetInitializer("a_w", in_memory);  // as a pass replaces weights
  EXPECT_EQ(outputs(model), wanted);
}

}  // namespace
}  // namespace preon
