#include "instrument/instrumented_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/model_io.h"

namespace preon {
namespace {

using ::testing::ElementsAre;

Instrumentation Plan() {
  Instrumentation plan{
      .inputs = {"x"},
      .outputs = {"y"},
      .request = {.tensors = {"x", "größe \"1\"\n"}, .channel_extremes = {"x"}, .channel_means = {"y"}},
      .mode = SketchMode::kExact,
      .calib_out = "a-%p.calib",
      .every = 7,
      .one_in = 3};
  plan.header.model_fingerprint = "12ab";
  plan.header.setup = "target=ort-cpu";
  plan.header.shared = {{"y", "x"}};
  plan.header.origins = {{"x", "input"}, {"y", "Relu"}};
  return plan;
}

TEST(Description, ComesBack) {
  const Instrumentation plan = Plan();
  const PackedModel packed{
      .tensors = 2, .observers = PackedObservers::kInPath, .weights_beside = true, .optimize = false};
  const Description back = ParseDescription(WriteDescription(plan, packed)).value();
  EXPECT_EQ(back.plan.request.tensors, plan.request.tensors);
  EXPECT_EQ(back.plan.inputs, plan.inputs);
  EXPECT_EQ(back.plan.outputs, plan.outputs);
  EXPECT_EQ(back.plan.request.channel_extremes, plan.request.channel_extremes);
  EXPECT_EQ(back.plan.request.channel_means, plan.request.channel_means);
  EXPECT_EQ(back.plan.mode, plan.mode);
  EXPECT_EQ(back.plan.calib_out, plan.calib_out);
  EXPECT_EQ(back.plan.every, 7);
  EXPECT_EQ(back.plan.one_in, 3);
  EXPECT_EQ(back.plan.header.model_fingerprint, "12ab");
  EXPECT_EQ(back.plan.header.setup, "target=ort-cpu");
  EXPECT_EQ(back.plan.header.shared, plan.header.shared);
  EXPECT_EQ(back.plan.header.origins, plan.header.origins);
  EXPECT_EQ(back.session.tensors, 2u);
  EXPECT_EQ(back.session.observers, PackedObservers::kInPath);
  EXPECT_TRUE(back.session.weights_beside);
  EXPECT_FALSE(back.session.optimize);
}

TEST(Description, RefusesDamage) {
  for (const char* text : {"", "{", "[]", "{}", R"({"format": 2})", R"({"format": 1, "calib_out": 3})"}) {
    EXPECT_EQ(ParseDescription(text).status().id(), ErrorId::kModelInvalid) << text;
  }
}

TEST(InstrumentedModel, KeepsWhatSurroundsTheModel) {
  Model source;
  source.ir_version = 8;
  source.opsets = {{"", 13}};
  source.producer_name = "maker";
  source.doc_string = "doc";
  source.metadata = {{"key", "value"}};
  source.graph.name = "g";
  source.graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 3}, .dim_names = {"N", ""}});
  source.graph.AddNode("Relu", {"x"}, {"y"});
  source.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 3}, .dim_names = {"N", ""}});
  EXPECT_TRUE(CheckNotInstrumented(source).ok());

  const Model made = MakeInstrumented(source, Plan(), {.model = "model", .block_model = "block"});
  const std::string bytes = SerializeModel(made).value();
  const Model read = LoadModel("made", {.bytes = bytes}).value();
  EXPECT_THAT(read.graph.inputs(), ElementsAre("x"));
  EXPECT_THAT(read.graph.outputs(), ElementsAre("y"));
  EXPECT_EQ(read.graph.Info("x")->dim_names[0], "N");
  EXPECT_EQ(read.metadata, source.metadata);
  EXPECT_EQ(read.doc_string, "doc");
  EXPECT_EQ(read.producer_name, "maker");
  EXPECT_EQ(read.graph.nodes().size(), 1u);
  ASSERT_NE(FindInstrumented(read.graph), nullptr);
  EXPECT_EQ(DescriptionOf(*FindInstrumented(read.graph)).value().plan.every, 7);
  EXPECT_EQ(CheckNotInstrumented(read).id(), ErrorId::kAlreadyInstrumented);
}

}  // namespace
}  // namespace preon
