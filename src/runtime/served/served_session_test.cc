#include "runtime/served/served_session.h"

#include <gtest/gtest.h>

#include "ir/test_models.h"
#include "runtime/observed_session.h"
#include "runtime/recording_observer.h"

namespace preon {
namespace {

using test::RecordingObserver;

// Conv (blocked by the runtime), a residual Add, Relu, and a plain tail.
Model Network() {
  Model model = test::EmptyModel({1, 16, 6, 6});
  test::AddConv(model, "x", "a", 16, 16);
  test::AddConv(model, "a", "b", 16, 16);
  model.graph.AddNode("Add", {"a", "b"}, {"sum"});
  model.graph.AddNode("Relu", {"sum"}, {"r"});
  test::AddConv(model, "r", "y", 16, 5);
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  return model;
}

const std::vector<std::string> kTensors = {"x", "a", "b", "r", "y"};

std::vector<NamedTensor> Feeds() { return {{"x", test::Wave({1, 16, 6, 6})}}; }

Result<ServedSession> OpenPacked(const PackedModel& packed, TensorObserver* observer, const RunContext& context) {
  return ServedSession::Open(packed.model, packed.block_model,
                             {.tensors = packed.tensors,
                              .observers = packed.observers,
                              .weights_beside = packed.weights_beside,
                              .optimize = packed.optimize},
                             observer, context);
}

void ExpectLikeObservedSession(bool optimize, const RunContext& context) {
  RecordingObserver wanted(kTensors.size()), got(kTensors.size());
  ObservedSession reference =
      ObservedSession::Open(Network(), kTensors, &wanted, {.optimize = optimize}, context).value();
  const PackedModel packed = PackForServing(Network(), kTensors, optimize).value();
  ServedSession served = OpenPacked(packed, &got, context).value();
  const std::vector<NamedTensor> a = reference.Run(Feeds(), context).value(),
                                 b = served.Run(Feeds(), context, {"y"}).value();
  EXPECT_TRUE(std::ranges::equal(a[0].tensor.floats(), b[0].tensor.floats()));
  for (size_t index = 0; index < kTensors.size(); ++index) {
    EXPECT_EQ(got.records[index].times, 1) << kTensors[index];
    EXPECT_EQ(got.records[index].shape, wanted.records[index].shape) << kTensors[index];
    EXPECT_EQ(got.records[index].values, wanted.records[index].values) << kTensors[index];
  }
}

TEST(ServedSession, ShowsWhatObservedSessionShows) { ExpectLikeObservedSession(true, {}); }

TEST(ServedSession, ShowsItWithoutTheOptimizer) { ExpectLikeObservedSession(false, {}); }

TEST(ServedSession, WithoutATemporaryFolderInTheFloatGraph) {
  std::string said;
  const RunContext context{.tmp_dir = "/nowhere/at/all",
                           .log = [&](LogLevel, std::string_view message) { said = message; }};
  RecordingObserver got(kTensors.size());
  const PackedModel packed = PackForServing(Network(), kTensors, true).value();
  ServedSession served = OpenPacked(packed, &got, context).value();
  ASSERT_TRUE(served.Run(Feeds(), context, {"y"}).ok());
  EXPECT_NE(said.find("slower"), std::string::npos);
  for (const RecordingObserver::Record& record : got.records) EXPECT_EQ(record.times, 1);
}

TEST(ServedSession, WhatCantBePacked) {
  EXPECT_EQ(PackForServing(Network(), {"nothing"}, true).status().id(), ErrorId::kNameNotInModel);
}

TEST(ServedSession, BytesThatAreNoModel) {
  RecordingObserver observer(0);
  EXPECT_EQ(ServedSession::Open("no model", "", {}, &observer, {}).status().id(), ErrorId::kModelMalformed);
}

}  // namespace
}  // namespace preon
