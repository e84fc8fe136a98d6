// Adds among observers of the optimized graph: the values of Adds that stand apart, computed where they should be.
#include "runtime/observe_add_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/model_io.h"
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

const ValueInfo kFloatInfo{.type = DataType::kFloat};

/// Also records what is shown together, and whether the sum is computed over an input.
class TogetherObserver : public RecordingObserver {
 public:
  using RecordingObserver::RecordingObserver;
  void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) override {
    std::vector<int> indices;
    for (const ObservedStep& step : steps) indices.push_back(step.index ? static_cast<int>(*step.index) : -1);
    together.push_back(indices);
    in_place.push_back(steps.size() > 1 && steps.front().value.data == steps.back().value.data);
    blocks.push_back(steps.front().value.block);
    RecordingObserver::ObserveTogether(steps, parallel_for);
  }
  std::vector<std::vector<int>> together;
  std::vector<bool> in_place;
  std::vector<int64_t> blocks;
};

struct Observed {
  TogetherObserver observer;
  std::vector<NamedTensor> outputs;
};

Observed RunOn(Model model, const std::vector<std::string>& tensors, bool optimize, const std::vector<Shape>& batches,
               int threads) {
  InferShapes(model);  // what the runtime knows of shapes it does not write
  Observed observed{TogetherObserver(tensors.size()), {}};
  auto session = ObservedSession::Open(model, tensors, &observed.observer,
                                       {.session = {.threads = threads}, .optimize = optimize}, {});
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  if (!session.ok()) return observed;
  for (const Shape& shape : batches) {
    auto outputs = session.value().Run({{"x", Wave(shape)}}, {});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    if (outputs.ok()) observed.outputs = std::move(outputs).value();
  }
  return observed;
}

/// Observed tensors and outputs are those of the graph that is not optimized.
TogetherObserver ExpectSameValues(const Model& model, const std::vector<std::string>& tensors,
                                  const std::vector<Shape>& batches = {}, int threads = 1) {
  const std::vector<Shape> shapes = batches.empty() ? std::vector<Shape>{*model.graph.ShapeOf("x")} : batches;
  const Observed plain = RunOn(model, tensors, false, shapes, threads);
  const Observed optimized = RunOn(model, tensors, true, shapes, threads);
  EXPECT_TRUE(plain.observer.together.empty());
  for (size_t index = 0; index < tensors.size(); ++index) {
    SCOPED_TRACE(tensors[index]);
    const RecordingObserver::Record& wanted = plain.observer.records[index];
    const RecordingObserver::Record& record = optimized.observer.records[index];
    EXPECT_EQ(record.times, static_cast<int>(shapes.size()));
    EXPECT_EQ(record.shape, wanted.shape);
    EXPECT_THAT(record.values, Pointwise(FloatNear(1e-4f), wanted.values));
  }
  for (size_t output = 0; output < plain.outputs.size(); ++output) {
    EXPECT_THAT(optimized.outputs[output].tensor.floats(),
                Pointwise(FloatNear(1e-4f), plain.outputs[output].tensor.floats()));
  }
  return optimized.observer;
}

/// x -> conv1 -> relu -> conv2 -> sum = conv2 + relu -> conv3 -> y. Convolutions of `channels`; with 3 the second and
/// third are depthwise, too narrow for the runtime to block them.
Model Residual(int64_t channels, const Shape& input, bool conv_on_the_right = false) {
  Model model = EmptyModel(input);
  const int64_t group = channels == 3 ? 3 : 1;
  const auto add_conv = [&](const std::string& from, const std::string& to) {
    AddConv(model, from, to, channels / group, channels);
    model.graph.Producer(to)->attributes["group"] = group;
  };
  AddConv(model, "x", "conv1", input[1], channels);
  model.graph.AddNode("Relu", {"conv1"}, {"relu"}, "relu");
  add_conv("relu", "conv2");
  std::vector<std::string> inputs = {"conv2", "relu"};
  if (conv_on_the_right) std::swap(inputs[0], inputs[1]);
  model.graph.AddNode("Add", inputs, {"sum"}, "add");
  add_conv("sum", "conv3");
  model.graph.AddNode("Sigmoid", {"conv3"}, {"y"}, "sigmoid");
  model.graph.AddOutput("y", kFloatInfo);
  return model;
}

using Together = std::vector<std::vector<int>>;

// 24 channels don't fill blocks of 16; their padding must be added, too, for the next convolution to read.
TEST(ObserveAdd, BlockedWithPaddingInPlace) {
  for (const bool conv_on_the_right : {false, true}) {
    for (const int threads : {1, 2}) {
      const TogetherObserver observer =
          ExpectSameValues(Residual(24, {2, 3, 16, 15}, conv_on_the_right), {"conv2", "sum"}, {}, threads);
      EXPECT_EQ(observer.together, (Together{{0, 1}}));
#ifdef __x86_64__
      EXPECT_GT(observer.blocks[0], 1);
#endif
      EXPECT_TRUE(observer.in_place[0]);
      EXPECT_EQ(observer.records[0].address, observer.records[1].address);
    }
  }
}

TEST(ObserveAdd, PlainLayoutInPlace) {
  for (const bool conv_on_the_right : {false, true}) {
    const TogetherObserver observer = ExpectSameValues(Residual(3, {2, 3, 6, 5}, conv_on_the_right), {"conv2", "sum"});
    EXPECT_EQ(observer.together, (Together{{0, 1}}));
    EXPECT_EQ(observer.blocks[0], 1);
    EXPECT_TRUE(observer.in_place[0]);
  }
}

TEST(ObserveAdd, BatchesOfDifferentSizes) {
  for (const int64_t channels : {3, 24}) {
    Model model = Residual(channels, {2, 3, 6, 5});
    model.graph.SetInfo(
        "x", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 3, 6, 5}, .dim_names = {"N", "", "", ""}});
    const TogetherObserver observer =
        ExpectSameValues(model, {"conv2", "sum"}, {{1, 3, 6, 5}, {4, 3, 6, 5}, {2, 3, 6, 5}}, 2);
    EXPECT_EQ(observer.together.size(), 3u);
    EXPECT_EQ(observer.in_place, (std::vector<bool>{true, true, true}));
  }
}

TEST(ObserveAdd, OnlyTheInputObserved) {
  EXPECT_EQ(ExpectSameValues(Residual(24, {2, 3, 6, 5}), {"conv2"}).together, (Together{{0, -1}}));
}

TEST(ObserveAdd, OnlyTheSumObservedIsLeftInTheConvolution) {
  EXPECT_TRUE(ExpectSameValues(Residual(24, {2, 3, 6, 5}), {"sum"}).together.empty());
}

TEST(ObserveAdd, BothInputsObserved) {
  Model model = EmptyModel({2, 3, 6, 5});
  AddConv(model, "x", "left", 3, 24);
  AddConv(model, "x", "right", 3, 24);
  model.graph.AddNode("Add", {"left", "right"}, {"sum"}, "add");
  model.graph.AddNode("Relu", {"sum"}, {"relu"}, "relu");
  model.graph.AddNode("Sigmoid", {"relu"}, {"y"}, "sigmoid");
  model.graph.AddOutput("y", kFloatInfo);
  const TogetherObserver observer = ExpectSameValues(model, {"left", "right", "sum", "relu"});
  EXPECT_EQ(observer.together, (Together{{0, 1, 2}}));
  EXPECT_TRUE(observer.in_place[0]);
  // The activation stays behind the sum where the sum is not observed either.
  EXPECT_EQ(ExpectSameValues(model, {"left", "right", "relu"}).together, (Together{{0, 1, -1}}));
}

TEST(ObserveAdd, AnInputThatIsReadLaterKeepsItsMemory) {
  Model model = Residual(24, {2, 3, 6, 5});
  model.graph.AddNode("Relu", {"conv2"}, {"later"}, "later");
  AddConv(model, "later", "conv4", 24, 24);
  model.graph.AddOutput("conv4", kFloatInfo);
  const TogetherObserver observer = ExpectSameValues(model, {"conv2", "sum"});
  // The observer of conv2, which both read, stays in front.
  EXPECT_EQ(observer.together, (Together{{1}}));
}

TEST(ObserveAdd, SumAsGraphOutput) {
  for (const int64_t channels : {3, 24}) {
    Model model = Residual(channels, {2, 3, 6, 5});
    model.graph.AddOutput("sum", kFloatInfo);
    const TogetherObserver observer = ExpectSameValues(model, {"conv2", "sum"});
    EXPECT_EQ(observer.records[1].times, 1);
  }
}

TEST(ObserveAdd, BroadcastIsLeftAlone) {
  Model model = EmptyModel({2, 3, 6, 5});
  AddConv(model, "x", "conv", 3, 24);
  model.graph.AddNode("GlobalAveragePool", {"conv"}, {"mean"}, "pool");
  model.graph.AddNode("Add", {"conv", "mean"}, {"sum"}, "add");
  model.graph.AddNode("Sigmoid", {"sum"}, {"y"}, "sigmoid");
  model.graph.AddOutput("y", kFloatInfo);
  EXPECT_TRUE(ExpectSameValues(model, {"mean", "sum"}).together.empty());
}

TEST(ObserveAdd, TheSumIsTheRuntimesBitForBit) {
  Model model = EmptyModel({3, 1000});
  model.graph.AddNode("Neg", {"x"}, {"a"}, "neg");
  model.graph.AddNode("Exp", {"x"}, {"b"}, "exp");
  model.graph.AddNode("Add", {"a", "b"}, {"y"}, "add");
  model.graph.AddOutput("y", kFloatInfo);
  const Observed plain = RunOn(model, {"a"}, false, {{3, 1000}}, 2);
  const Observed optimized = RunOn(model, {"a"}, true, {{3, 1000}}, 2);
  EXPECT_EQ(optimized.observer.together, (Together{{0, -1}}));
  EXPECT_FALSE(optimized.observer.in_place[0]);
  EXPECT_THAT(optimized.outputs[0].tensor.floats(), ElementsAreArray(plain.outputs[0].tensor.floats()));
}

// Both inputs are [N, 4] to the model, which the data contradict.
TEST(ObserveAdd, ShapesThatTheModelSaysAreEqual) {
  Model model = EmptyModel({1, 4});
  const ValueInfo named{.type = DataType::kFloat, .shape = Shape{kDynamicDim, 4}, .dim_names = {"N", ""}};
  model.graph.SetInfo("x", named);
  model.graph.AddInput("z", named);
  model.graph.AddNode("Neg", {"x"}, {"a"}, "neg");
  model.graph.AddNode("Add", {"a", "z"}, {"y"}, "add");
  model.graph.AddOutput("y", kFloatInfo);
  InferShapes(model);
  TogetherObserver observer(1);
  auto session = ObservedSession::Open(model, {"a"}, &observer, {}, {});
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE(session.value().Run({{"x", Wave({3, 4})}, {"z", Wave({3, 4})}}, {}).ok());
  const Status status = session.value().Run({{"x", Wave({3, 4})}, {"z", Wave({1, 4})}}, {}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kRuntimeRun) << status.ToString();
  EXPECT_NE(status.message().find("shapes [3, 4] and [1, 4]"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace preon
