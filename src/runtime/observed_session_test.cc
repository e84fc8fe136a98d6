#include "runtime/observed_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "ir/test_models.h"
#include "runtime/recording_observer.h"

namespace preon {
namespace {

using test::AddConv;
using test::EmptyModel;
using test::RecordingObserver;
using test::Wave;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;

const ValueInfo kAnyShape{.type = DataType::kFloat};

struct ObservedRun {
  std::vector<RecordingObserver::Record> records;
  std::vector<ObserverPlace> places;
  std::vector<NamedTensor> outputs;
};

/// Two runs on a wave.
ObservedRun ObserveTwice(const Model& model, const std::vector<std::string>& tensors,
                         const ObservedSessionOptions& options) {
  RecordingObserver observer(tensors.size());
  RunContext context;
  context.log = [](LogLevel, std::string_view message) { ADD_FAILURE() << message; };  // another way was taken
  auto session = ObservedSession::Open(model, tensors, &observer, options, context);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  if (!session.ok()) return {};
  const std::vector<NamedTensor> feeds = {{"x", Wave(*model.graph.ShapeOf("x"))}};
  EXPECT_TRUE(session.value().Run(feeds, {}).ok());
  auto outputs = session.value().Run(feeds, {});
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return {std::move(observer.records), session.value().places(), std::move(outputs).value()};
}

/// Each tensor is seen once per run, with the same values whether the runtime optimizes or not, and beside the graph.
ObservedRun ExpectSameRecords(const Model& model, const std::vector<std::string>& tensors) {
  const ObservedRun plain = ObserveTwice(model, tensors, {.optimize = false});
  const ObservedRun beside = ObserveTwice(model, tensors, {.beside = true});
  ObservedRun optimized = ObserveTwice(model, tensors, {.optimize = true});
  for (size_t index = 0; index < tensors.size(); ++index) {
    SCOPED_TRACE(tensors[index]);
    EXPECT_EQ(plain.records[index].times, 2);
    EXPECT_EQ(optimized.records[index].times, 2);
    EXPECT_EQ(optimized.records[index].shape, plain.records[index].shape);
    EXPECT_THAT(optimized.records[index].values, Pointwise(FloatNear(1e-4f), plain.records[index].values));
    EXPECT_EQ(plain.places[index], ObserverPlace::kFloatGraph);
    EXPECT_EQ(beside.records[index].times, 2);
    EXPECT_EQ(beside.records[index].shape, plain.records[index].shape);
    EXPECT_THAT(beside.records[index].values, Pointwise(FloatNear(1e-4f), plain.records[index].values));
  }
  return optimized;
}

TEST(ObservedSessionTest, InputInnerAndOutput) {
  Model model = EmptyModel({2, 3});
  model.graph.AddNode("Relu", {"x"}, {"relu"}, "relu");
  model.graph.AddNode("Neg", {"relu"}, {"y"}, "neg");
  model.graph.AddOutput("y", kAnyShape);
  const ObservedRun observed = ExpectSameRecords(model, {"x", "relu", "y"});
  EXPECT_THAT(observed.records[0].values, ElementsAreArray(Wave({2, 3}).floats()));
  EXPECT_THAT(observed.records[2].values, ElementsAreArray(observed.outputs[0].tensor.floats()));
}

TEST(ObservedSessionTest, OutputThatIsAlsoReadInside) {
  Model model = EmptyModel({2, 3});
  model.graph.AddNode("Relu", {"x"}, {"relu"}, "relu");
  model.graph.AddNode("Neg", {"relu"}, {"y"}, "neg");
  model.graph.AddOutput("relu", kAnyShape);
  model.graph.AddOutput("y", kAnyShape);
  const ObservedRun observed = ExpectSameRecords(model, {"relu"});
  EXPECT_EQ(observed.outputs[0].name, "relu");
  EXPECT_THAT(observed.outputs[0].tensor.floats(), ElementsAreArray(observed.records[0].values));
}

TEST(ObservedSessionTest, InputThatIsAlsoAnOutput) {
  Model model = EmptyModel({2, 3});
  model.graph.AddNode("Relu", {"x"}, {"y"}, "relu");
  model.graph.AddOutput("y", kAnyShape);
  model.graph.AddOutput("x", *model.graph.Info("x"));
  ExpectSameRecords(model, {"x"});
}

/// x -> conv1 -> relu -> conv2 -> (+ conv1's relu) -> sum -> sigmoid; 24 channels don't fill blocks of 16.
Model BlockedModel() {
  Model model = EmptyModel({2, 3, 6, 5});
  AddConv(model, "x", "conv1", 3, 24);
  model.graph.AddNode("Relu", {"conv1"}, {"relu"}, "relu");
  AddConv(model, "relu", "conv2", 24, 24);
  model.graph.AddNode("Add", {"conv2", "relu"}, {"sum"}, "add");
  model.graph.AddNode("Sigmoid", {"sum"}, {"y"}, "sigmoid");
  model.graph.AddOutput("y", kAnyShape);
  return model;
}

TEST(ObservedSessionTest, PaddingOfBlockedTensorsIsNotObserved) {
  const ObservedRun observed = ExpectSameRecords(BlockedModel(), {"conv1", "relu"});
  EXPECT_EQ(observed.records[0].shape, (Shape{2, 24, 6, 5}));
#ifdef __x86_64__
  EXPECT_EQ(observed.places[0], ObserverPlace::kBlocked);
#endif
}

TEST(ObservedSessionTest, FusedTensorsAreObservedOneByOne) {
  ExpectSameRecords(BlockedModel(), {"conv1", "relu", "conv2", "sum", "y"});
}

TEST(ObservedSessionTest, OnlySomeTensors) {
  ExpectSameRecords(BlockedModel(), {"relu"});
  ExpectSameRecords(BlockedModel(), {"sum", "conv2"});
}

TEST(ObservedSessionTest, NothingToObserve) { ExpectSameRecords(BlockedModel(), {}); }

TEST(ObservedSessionTest, ConstantsThatTheRuntimeFolds) {
  Model model = EmptyModel({2, 3});
  model.graph.SetInitializer("c", Wave({3}));
  model.graph.AddNode("Neg", {"c"}, {"folded"}, "neg");
  model.graph.AddNode("Add", {"x", "folded"}, {"y"}, "add");
  model.graph.AddOutput("y", kAnyShape);
  ExpectSameRecords(model, {"folded", "y"});
}

TEST(ObservedSessionTest, NothingIsCopied) {
  Model model = EmptyModel({2, 3});
  model.graph.AddNode("Neg", {"x"}, {"neg"}, "neg");
  model.graph.AddNode("Identity", {"neg"}, {"same"}, "identity");  // the optimizer makes both one tensor
  model.graph.AddNode("Relu", {"same"}, {"y"}, "relu");
  model.graph.AddOutput("y", kAnyShape);
  const ObservedRun observed = ExpectSameRecords(model, {"neg", "same"});
  EXPECT_EQ(observed.records[0].address, observed.records[1].address);
}

/// Protobuf's length-delimited field.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

TEST(ObservedSessionTest, SubgraphsReadTheTensorUnderItsName) {
  // GraphProto: node {input, output, op_type}, name, output {name, type {tensor_type {elem_type: 1}}}.
  const auto branch = [](const std::string& name, const std::string& op) {
    const std::string graph = Field(1, Field(1, "neg") + Field(2, op) + Field(4, op)) + Field(2, "branch") +
                              Field(12, Field(1, op) + Field(2, Field(1, "\x08\x01")));
    // AttributeProto: name, g, type = GRAPH.
    return OpaqueAttribute{Field(1, name) + Field(6, graph) + "\xa0\x01\x05", {"neg"}, true};
  };
  Model model = EmptyModel({4});
  model.graph.AddInput("condition", {.type = DataType::kBool, .shape = Shape{}});
  model.graph.AddNode("Neg", {"x"}, {"neg"}, "neg");
  Node* choice = model.graph.AddNode("If", {"condition"}, {"y"}, "if");
  model.graph.SetAttribute(choice, "then_branch", branch("then_branch", "Relu"));
  model.graph.SetAttribute(choice, "else_branch", branch("else_branch", "Abs"));
  model.graph.AddOutput("y", kAnyShape);
  for (const bool optimize : {false, true}) {
    RecordingObserver observer(2);
    auto session = ObservedSession::Open(model, {"neg", "y"}, &observer, {.optimize = optimize}, {});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    const Tensor condition = Tensor::From(DataType::kBool, {}, std::span<const uint8_t>(std::vector<uint8_t>{1}));
    const auto outputs = session.value().Run({{"x", Wave({4})}, {"condition", condition}}, {});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ(observer.records[0].values[0], 1.0f);  // the wave starts with -1
    EXPECT_THAT(observer.records[1].values, ElementsAreArray(outputs.value()[0].tensor.floats()));
  }
}

TEST(ObservedSessionTest, WithoutAFolderForTheOptimizedModelTheFloatGraphIsObserved) {
  const Model model = BlockedModel();
  const ObservedRun plain = ObserveTwice(model, {"conv1", "sum"}, {.optimize = false});
  RecordingObserver observer(2);
  std::string logged;
  RunContext context{.tmp_dir = "no/such/folder"};
  context.log = [&](LogLevel, std::string_view message) { logged += message; };
  auto session = ObservedSession::Open(model, {"conv1", "sum"}, &observer, {}, context);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_NE(logged.find("float graph"), std::string::npos) << logged;
  EXPECT_EQ(session.value().places()[0], ObserverPlace::kFloatGraph);
  ASSERT_TRUE(session.value().Run({{"x", Wave(*model.graph.ShapeOf("x"))}}, context).ok());
  for (const size_t index : {0, 1}) {
    EXPECT_THAT(observer.records[index].values, Pointwise(FloatNear(1e-4f), plain.records[index].values));
  }
}

TEST(ObservedSessionTest, ErrorsNameTheTensor) {
  Model model = EmptyModel({4});
  model.graph.AddNode("Shape", {"x"}, {"shape"}, "shape");
  model.graph.AddOutput("shape", {.type = DataType::kInt64});
  RecordingObserver observer(1);
  const Status unknown = ObservedSession::Open(model, {"nothing"}, &observer, {}, {}).status();
  EXPECT_EQ(unknown.id(), ErrorId::kNameNotInModel);
  const Status not_float = ObservedSession::Open(model, {"shape"}, &observer, {}, {}).status();
  EXPECT_EQ(not_float.id(), ErrorId::kModelTypeUnsupported);
  EXPECT_NE(not_float.message().find("'shape' is int64"), std::string::npos) << not_float.ToString();
}

Model TwoSteps() {
  Model model = EmptyModel({64});
  model.graph.AddNode("Neg", {"x"}, {"first"}, "neg");
  model.graph.AddNode("Exp", {"first"}, {"second"}, "exp");
  model.graph.AddOutput("second", kAnyShape);
  return model;
}

class ParallelObserver : public TensorObserver {
 public:
  void Observe(size_t, const ObservedValue&, const ParallelFor& parallel_for) override {
    parallel_for(1000, [this](size_t task) { sum += task; });
  }
  std::atomic<size_t> sum = 0;
};

TEST(ObservedSessionTest, ObserversUseTheRuntimesThreads) {
  for (const int threads : {1, 2}) {
    ParallelObserver observer;
    auto session = ObservedSession::Open(TwoSteps(), {"first"}, &observer, {.session = {.threads = threads}}, {});
    ASSERT_TRUE(session.value().Run({{"x", Wave({64})}}, {}).ok());
    EXPECT_EQ(observer.sum, 999u * 1000u / 2u);
  }
}

class FailingObserver : public TensorObserver {
 public:
  void Observe(size_t, const ObservedValue&, const ParallelFor& parallel_for) override {
    parallel_for(8, [](size_t task) {
      if (task == 5) throw std::runtime_error("task 5 failed");
    });
  }
};

TEST(ObservedSessionTest, AnObserversExceptionEndsTheRunWithItsWords) {
  FailingObserver observer;
  auto session = ObservedSession::Open(TwoSteps(), {"first"}, &observer, {.session = {.threads = 2}}, {});
  const Status status = session.value().Run({{"x", Wave({64})}}, {}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kRuntimeRun) << status.ToString();
  EXPECT_NE(status.message().find("task 5 failed"), std::string::npos) << status.ToString();
}

/// Cancels while it looks at tensor 0, and leaves the watcher time to see it.
class CancellingObserver : public TensorObserver {
 public:
  void Observe(size_t index, const ObservedValue&, const ParallelFor&) override {
    seen.push_back(index);
    cancel = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  std::vector<size_t> seen;
  std::atomic<bool> cancel = false;
};

TEST(ObservedSessionTest, CancelEndsARunInTheMiddle) {
  CancellingObserver observer;
  auto session = ObservedSession::Open(TwoSteps(), {"first", "second"}, &observer, {}, {});
  const auto outputs = session.value().Run({{"x", Wave({64})}}, {.cancel = &observer.cancel});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.status().id(), ErrorId::kCancelled);
  EXPECT_EQ(observer.seen, std::vector<size_t>{0});
}

}  // namespace
}  // namespace preon
