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
      .request = {.tensors = {"x", "y", "größe \"1\""}, .channel_extremes = {"x"}, .channel_means = {"y"}},
      .mode = SketchMode::kExact,
      .every = 7,
      .one_in = 3};
  plan.header.model_fingerprint = "12ab";
  plan.header.setup = "target=ort-cpu";
  plan.header.activation = "int8";
  plan.header.shared = {{"z", "x"}};
  plan.header.origins = {{"x", "input"}, {"y", "Relu"}};
  return plan;
}

TEST(Description, ComesBack) {
  const Instrumentation plan = Plan();
  const PackedModel packed{
      .tensors = 3, .observers = PackedObservers::kInPath, .weights_beside = true, .optimize = false};
  const Description back = ParseDescription(WriteDescription(plan, packed)).value();
  EXPECT_EQ(back.plan.request.tensors, plan.request.tensors);
  EXPECT_EQ(back.plan.inputs, plan.inputs);
  EXPECT_EQ(back.plan.outputs, plan.outputs);
  EXPECT_EQ(back.plan.request.channel_extremes, plan.request.channel_extremes);
  EXPECT_EQ(back.plan.request.channel_means, plan.request.channel_means);
  EXPECT_EQ(back.plan.mode, plan.mode);
  EXPECT_EQ(back.plan.every, 7);
  EXPECT_EQ(back.plan.one_in, 3);
  EXPECT_EQ(back.plan.header.model_fingerprint, "12ab");
  EXPECT_EQ(back.plan.header.setup, "target=ort-cpu");
  EXPECT_EQ(back.plan.header.activation, "int8");
  EXPECT_EQ(back.plan.header.shared, plan.header.shared);
  EXPECT_EQ(back.plan.header.origins, plan.header.origins);
  EXPECT_EQ(back.session.tensors, 3u);
  EXPECT_EQ(back.session.observers, PackedObservers::kInPath);
  EXPECT_TRUE(back.session.weights_beside);
  EXPECT_FALSE(back.session.optimize);
}

TEST(Description, RefusesDamage) {
  for (const char* text : {"", "{", "[]", "{}", R"({"format": 3})", R"({"format": 1, "every": 3})"}) {
    EXPECT_EQ(ParseDescription(text).status().id(), ErrorId::kModelInvalid) << text;
  }
}

// Each names the key, so that the one who serves knows what is wrong with the model.
TEST(Description, RefusesWhatNoModelOfOursHas) {
  const auto refused = [](std::string_view says, const auto& damage) {
    Instrumentation plan = Plan();
    damage(plan);
    const Status status = ParseDescription(WriteDescription(plan, {})).status();
    EXPECT_EQ(status.id(), ErrorId::kModelInvalid) << says;
    EXPECT_NE(status.message().find(says), std::string::npos) << status.message();
  };
  refused("every", [](Instrumentation& plan) { plan.every = 0; });
  refused("one_in", [](Instrumentation& plan) { plan.one_in = 0; });
  refused("one_in", [](Instrumentation& plan) { plan.one_in = -1; });
  refused("inputs", [](Instrumentation& plan) { plan.inputs.clear(); });
  refused("inputs", [](Instrumentation& plan) { plan.inputs = {"x", "x"}; });
  refused("outputs", [](Instrumentation& plan) { plan.outputs = {"y", "y"}; });
  refused("observes no tensor", [](Instrumentation& plan) {
    plan.request = {};
    plan.header.origins.clear();
  });
  refused("the origin of no tensor", [](Instrumentation& plan) { plan.header.origins = {{"q", "Relu"}}; });
  refused("the origin of no tensor",
          [](Instrumentation& plan) { plan.header.origins = {{"x", "input"}, {"x", "input"}}; });
  refused("derived", [](Instrumentation& plan) { plan.header.derived["y"] = {"q", {}}; });
  refused("the range of no tensor", [](Instrumentation& plan) { plan.header.planned["x"] = {.observed = "q"}; });
  refused("number format",
          [](Instrumentation& plan) { plan.header.planned["x"] = {.observed = "x", .query = {{DataType::kString}}}; });
}

// A line of its own in a file or a log is all that an attacker needs.
TEST(Description, RefusesNamesThatBeginLines) {
  const std::string line = "x\nssh-rsa AAAA attacker";
  const auto refused = [](const Instrumentation& plan) {
    EXPECT_EQ(ParseDescription(WriteDescription(plan, {})).status().id(), ErrorId::kModelInvalid);
  };
  for (Instrumentation plan = Plan(); plan.header.setup != line; refused(plan)) plan.header.setup = line;
  for (Instrumentation plan = Plan(); plan.outputs[0] != line; refused(plan)) plan.outputs[0] = line;
  for (Instrumentation plan = Plan(); plan.request.tensors.insert(line).second;) refused(plan);
  for (Instrumentation plan = Plan(); plan.header.shared.emplace(line, "x").second;) refused(plan);
  for (Instrumentation plan = Plan(); plan.header.model_fingerprint != line; refused(plan))
    plan.header.model_fingerprint = line;
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
