#include "quantize/settings/layer_settings.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/settings/layer_selection.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;

constexpr DataType kOwn = DataType::kInt16, kOther = DataType::kUInt16, kDefault = DataType::kUInt8;

// in -> first(w1) -> t -> second(w2), third(w3) -> u, v.
Graph Fork() {
  Graph graph;
  const ValueInfo info{DataType::kFloat, Shape{2, 2}};
  graph.AddInput("in", info);
  for (const char* weight : {"w1", "w2", "w3"})
    graph.SetInitializer(weight, Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4}));
  graph.AddNode("MatMul", {"in", "w1"}, {"t"}, "first");
  graph.AddNode("MatMul", {"t", "w2"}, {"u"}, "second");
  graph.AddNode("MatMul", {"t", "w3"}, {"v"}, "third");
  for (const char* tensor : {"t", "u", "v"}) graph.SetInfo(tensor, info);
  graph.AddOutput("u", info);
  graph.AddOutput("v", info);
  return graph;
}

LayerOverride Layer(std::set<std::string> nodes) {
  LayerOverride layer;
  layer.selectors.patterns.assign(nodes.begin(), nodes.end());
  layer.selectors.nodes = std::move(nodes);
  return layer;
}

TensorOverride Type(DataType type) { return {.type = type}; }

std::map<std::string, TensorOverride> Overrides(const Graph& graph, const PlanOptions& options) {
  Model model{.graph = graph, .opsets = {{"", 21}}};
  return WithLayerSettings(graph, options, *MakeQuarkTarget()->Plan(model, {.exclude = options.exclude}))
      .settings.overrides;
}

std::map<std::string, TensorOverride> Overrides(std::vector<LayerOverride> layers, Compat compat = Compat::kOff,
                                                std::map<std::string, TensorOverride> own = {}) {
  PlanOptions options;
  options.compat = compat;
  options.settings.layers = std::move(layers);
  options.settings.overrides = std::move(own);
  return Overrides(Fork(), options);
}

TEST(Layers, WeightsOfTheirNodesAlone) {
  LayerOverride layer = Layer({"second"});
  layer.weight = Type(kOwn);
  layer.weight->per_channel = true;
  const auto overrides = Overrides({layer});
  ASSERT_EQ(overrides.size(), 1u);
  EXPECT_EQ(overrides.at("w2").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("w2").per_channel, true);
}

TEST(Layers, LaterOnesGoOverEarlierOnesAndSingleTensorsOverBoth) {
  LayerOverride earlier = Layer({"second", "third"}), later = Layer({"second"});
  earlier.weight = {.type = kOwn, .symmetric = false};
  later.weight = Type(kOther);
  const auto overrides = Overrides({earlier, later}, Compat::kOff, {{"w3", {.symmetric = true}}});
  EXPECT_EQ(overrides.at("w2").type, TensorType(kOther));
  EXPECT_EQ(overrides.at("w2").symmetric, false);
  EXPECT_EQ(overrides.at("w3").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("w3").symmetric, true);
}

// What is rounded to 8 bits has no use for 16 behind them.
TEST(Layers, TheMostPreciseTypeThatAReaderWantsIsTheTensors) {
  LayerOverride layer = Layer({"third"});
  layer.input = Type(kOwn);
  const TensorOverride t = Overrides({layer}).at("t");
  EXPECT_EQ(t.type, TensorType(kOwn));
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(kDefault));
  EXPECT_EQ(t.converts[0].nodes, std::set<std::string>{"second"});
}

TEST(Layers, AReaderOfALessPreciseTypeGetsAPairOfItsOwn) {
  LayerOverride layer = Layer({"third"});
  layer.input = Type(DataType::kInt4);
  const TensorOverride t = Overrides({layer}).at("t");
  EXPECT_EQ(t.type, std::nullopt);
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(DataType::kInt4));
  EXPECT_EQ(t.converts[0].nodes, std::set<std::string>{"third"});
}

TEST(Layers, TheWritersTypeGoesOverThoseOfReaders) {
  LayerOverride writer = Layer({"first"}), reader = Layer({"third"});
  writer.output = Type(kDefault);
  reader.input = Type(kOwn);
  const TensorOverride t = Overrides({writer, reader}).at("t");
  EXPECT_EQ(t.type, TensorType(kDefault));
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(kOwn));
}

TEST(Layers, ReadersWithoutASettingKeepTheDefault) {
  LayerOverride layer = Layer({"first"});
  layer.output = Type(kOwn);
  const TensorOverride t = Overrides({layer}).at("t");
  EXPECT_EQ(t.type, TensorType(kOwn));
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(kDefault));
  EXPECT_EQ(t.converts[0].nodes, (std::set<std::string>{"second", "third"}));
}

TEST(Layers, WhereAllAgreeThereIsOnePair) {
  LayerOverride writer = Layer({"first"}), readers = Layer({"second", "third"});
  writer.output = Type(kOwn);
  readers.input = Type(kOwn);
  const TensorOverride t = Overrides({writer, readers}).at("t");
  EXPECT_EQ(t.type, TensorType(kOwn));
  EXPECT_TRUE(t.converts.empty());
}

TEST(Layers, AGraphInputHasTheTypeOfItsReaders) {
  LayerOverride layer = Layer({"first"});
  layer.input = Type(kOwn);
  const TensorOverride in = Overrides({layer}).at("in");
  EXPECT_EQ(in.type, TensorType(kOwn));
  EXPECT_TRUE(in.converts.empty());
}

TEST(Layers, OfEquallyPreciseTypesTheFirstReadersIsTheTensors) {
  LayerOverride second = Layer({"second"}), third = Layer({"third"});
  second.input = Type(kOwn);
  third.input = Type(kOther);
  const TensorOverride t = Overrides({second, third}).at("t");
  EXPECT_EQ(t.type, TensorType(kOwn));
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(kOther));
}

// x -> Conv c -> MaxPool m -> Conv d.
GraphBuilder PoolBetweenLayers() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("MaxPool", {"c"}, "m");
  b.Conv("m", "d");
  b.Output("d");
  return b;
}

// Where d wants another type.
TEST(Layers, WhatMovesDataWantsWhatItsOutputHas) {
  const GraphBuilder b = PoolBetweenLayers();
  PlanOptions options;
  options.settings.layers = {Layer({"d_node"})};
  options.settings.layers[0].input = Type(kOwn);
  const auto overrides = Overrides(b.model.graph, options);
  EXPECT_EQ(overrides.at("c").type, TensorType(kOwn));
  EXPECT_TRUE(overrides.at("c").converts.empty());
  EXPECT_FALSE(overrides.contains("m"));  // shares the scale of c
}

// Blocks would lie along one axis in front of the node, and along another behind it.
TEST(Layers, WhatMovesDataWantsNoBlocksInPlaceOfAMorePreciseDefault) {
  const GraphBuilder b = PoolBetweenLayers();
  PlanOptions options;
  const TensorType blocks = *ParseTensorType("mxint8");
  options.settings.layers = {Layer({"d_node"})};
  options.settings.layers[0].input = TensorOverride{.type = blocks};
  EXPECT_EQ(Overrides(b.model.graph, options).at("c").type, blocks);
  options.activation = TensorType(DataType::kBFloat16);
  const auto overrides = Overrides(b.model.graph, options);
  EXPECT_FALSE(overrides.contains("c"));
  EXPECT_EQ(overrides.at("m").type, blocks);
}

// The same with a layer of the pool, behind which nobody asks for its type.
TEST(Layers, BehindWhatMovesDataReadersHaveTheirOwn) {
  const GraphBuilder b = PoolBetweenLayers();
  PlanOptions options;
  options.settings.layers = {Layer({"m_node"})};
  options.settings.layers[0].input = Type(kOwn);
  const auto overrides = Overrides(b.model.graph, options);
  EXPECT_EQ(overrides.at("c").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("m").type, TensorType(kDefault));
}

TEST(Layers, ATypeForATensorIsForAllItsReaders) {
  LayerOverride layer = Layer({"third"});
  layer.input = Type(kOwn);
  const TensorOverride t = Overrides({layer}, Compat::kOff, {{"t", Type(kOther)}}).at("t");
  EXPECT_EQ(t.type, TensorType(kOther));
  EXPECT_TRUE(t.converts.empty());
}

// Quark has one pair for all; the node further down decides.
TEST(Layers, InCompatibilityTheLastNodeDecides) {
  LayerOverride second = Layer({"second"}), third = Layer({"third"});
  second.input = Type(kOwn);
  third.input = Type(kOther);
  const TensorOverride t = Overrides({second, third}, Compat::kQuark).at("t");
  EXPECT_EQ(t.type, TensorType(kOther));
  EXPECT_TRUE(t.converts.empty());
}

TEST(Layers, OfNodesThatAreLeftOutNothingCounts) {
  PlanOptions options;
  options.settings.layers.push_back(Layer({"second"}));
  options.settings.layers[0].weight = Type(kOwn);
  options.exclude.names = {"second"};
  EXPECT_TRUE(Overrides(Fork(), options).empty());
}

TEST(Layers, OlderSettingsOfTensorsAreWeakest) {
  LayerOverride layer = Layer({"second"});
  layer.weight = Type(kOwn);
  PlanOptions options;
  options.settings.layers = {layer};
  options.settings.base_overrides = {{"w2", Type(kOther)}, {"w3", Type(kOther)}};
  const auto overrides = Overrides(Fork(), options);
  EXPECT_EQ(overrides.at("w2").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("w3").type, TensorType(kOther));
}

TEST(Layers, OfIntegersNothingIsLeftForOtherKindsOfTypes) {
  const TensorOverride merged =
      Merged({.type = DataType::kBFloat16}, {.type = DataType::kUInt8, .symmetric = false, .per_channel = true});
  EXPECT_EQ(merged.symmetric, std::nullopt);
  EXPECT_EQ(merged.per_channel, std::nullopt);
}

TEST(Layers, EachHasItsGranularity) {
  const Model model{.graph = Fork(), .opsets = {{"", 21}}};
  const auto planned = [&](bool all_in_blocks) {
    LayerOverride blocks = Layer({"second"}), channels = Layer({"third"});
    blocks.weight = {.type = DataType::kInt8, .per_channel = true, .block_size = 2};
    channels.weight = {.type = DataType::kInt8, .per_channel = true, .block_size = 0};
    PlanOptions options{.per_channel = all_in_blocks};
    if (all_in_blocks) options.block_size = 1;
    options.settings.layers = {blocks, channels};
    const Result<QuantPlan> plan = PlanWithLayerSettings(*MakeQuarkTarget(), model, options);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    std::map<std::string, std::pair<int, int64_t>> weights;
    for (const auto& [tensor, weight] : plan->weights) weights[tensor] = {weight.axis, weight.block_size};
    return weights;
  };
  using Weights = std::map<std::string, std::pair<int, int64_t>>;
  EXPECT_EQ(planned(false), (Weights{{"w1", {-1, 0}}, {"w2", {0, 2}}, {"w3", {1, 0}}}));
  EXPECT_EQ(planned(true), (Weights{{"w1", {0, 1}}, {"w2", {0, 2}}, {"w3", {1, 0}}}));
}

PlanOptions WithTypes(std::vector<std::string> first, std::vector<std::string> second) {
  PlanOptions options;
  for (auto& types : {first, second}) {
    LayerOverride& layer = options.settings.layers.emplace_back();
    layer.selectors.op_types = types;
    layer.input = Type(types == first ? kOwn : kOther);
  }
  options.settings.source_types = {{"conv", "Conv"}, {"norm", "BatchNormalization"}};
  return options;
}

// A convolution that absorbed a normalization.
TEST(LayerSettingsOf, TypesThatANodeReplacedAreWeakerThanItsOwn) {
  Graph graph;
  graph.AddInput("x", {DataType::kFloat, Shape{1, 1, 4, 4}});
  Node* node = graph.AddNode("Conv", {"x", "x"}, {"y"}, "conv");
  node->origins = {"conv", "norm"};
  const auto type = [&](const PlanOptions& options) {
    return LayerSettingsOf(options.settings).Wanted(*node, LayerRole::kInput)->type;
  };
  EXPECT_EQ(type(WithTypes({"Conv"}, {"BatchNormalization"})), TensorType(kOwn));
  EXPECT_EQ(type(WithTypes({"BatchNormalization"}, {"Conv"})), TensorType(kOther));
  EXPECT_EQ(type(WithTypes({"BatchNormalization"}, {"Relu"})), TensorType(kOwn));
}

TEST(LayerSettingsOf, TypesOfTheRewrittenModelAreKnownToo) {
  Graph graph = Fork();
  const auto check = [&](const PlanOptions& options) {
    return CheckOpTypes(graph, options.settings.source_types, {}, "exclude-type", options.settings.layers);
  };
  EXPECT_TRUE(check(WithTypes({"Conv"}, {"MatMul"})).ok());
  const Status status = check(WithTypes({"Conv"}, {"MatMull"}));
  EXPECT_EQ(status.id(), ErrorId::kNameNotInModel);
  EXPECT_NE(status.message().find("did you mean 'MatMul'?"), std::string::npos) << status.message();
  const auto excluded = [&](const std::vector<std::string>& types) {
    return CheckOpTypes(graph, {}, types, "layer_type_config", {});
  };
  EXPECT_TRUE(excluded({"Gemm", "SomebodysOperator"}).ok());  // lists are made for many models
  EXPECT_EQ(excluded({"Gema"}).id(), ErrorId::kNameNotInModel);
  EXPECT_TRUE(excluded({"Gema"}).message().starts_with("layer_type_config: ")) << excluded({"Gema"}).message();
}

TEST(WarnOfUnknownOperators, WhatNeitherTheModelNorOnnxHas) {
  std::vector<std::string> warnings;
  WarnOfUnknownOperators(Fork(), {{"CopySharedInit", {"Conv", "LSTM", "Gema"}}}, &warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{"CopySharedInit: 'Gema' has no effect: neither the model nor ONNX has "
                                               "such an operator; did you mean 'Gemm'?"});
}

TEST(LayerSettingsOf, WhatIsLeftInFloatIsTold) {
  Graph graph = Fork();
  PlanOptions options;
  options.settings.layers = {Layer({"second"}), Layer({"third"}), Layer({"first"})};
  const std::vector<NodeDecision> decisions = {{.node = "first", .reason = FloatReason::kExcluded},
                                               {.node = "second", .reason = FloatReason::kNoKernel, .detail = "why"},
                                               {.node = "third"}};
  const auto warnings = LayerSettingsOf(options.settings).WithoutEffect(graph, decisions);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "layer of 'second' has no effect: 'second' stays float: why");
}

TEST(SettingsOf, NodesAndConstantsThatDiffer) {
  const Graph graph = Fork();
  const Node &second = *graph.FindNode("second"), &third = *graph.FindNode("third");
  EXPECT_EQ(SettingsOf({}), nullptr);
  PlanOptions options;
  options.settings.layers = {Layer({"second"})};
  options.settings.layers[0].input = Type(kOwn);
  EXPECT_NE(SettingsOf(options)(second, ""), SettingsOf(options)(third, ""));
  EXPECT_EQ(SettingsOf(options)(second, "w2"), SettingsOf(options)(third, "w3"));
  options.settings.layers[0].weight = Type(kOwn);
  EXPECT_NE(SettingsOf(options)(second, "w2"), SettingsOf(options)(third, "w3"));
  options.compat = Compat::kQuark;
  EXPECT_EQ(SettingsOf(options)(second, "w2"), SettingsOf(options)(third, "w3"));
  PlanOptions overridden, excluded;
  overridden.settings.overrides["w2"] = Type(kOwn);
  EXPECT_NE(SettingsOf(overridden)(second, "w2"), SettingsOf(overridden)(third, "w3"));
  excluded.exclude.names = {"third"};
  EXPECT_NE(SettingsOf(excluded)(second, ""), SettingsOf(excluded)(third, ""));
}

}  // namespace
}  // namespace preon
