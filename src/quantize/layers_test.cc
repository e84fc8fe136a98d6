#include "quantize/layers.h"

#include <gtest/gtest.h>

#include "ir/graph.h"

namespace preon {
namespace {

constexpr DataType kOwn = DataType::kInt16, kOther = DataType::kUInt16, kDefault = DataType::kUInt8;

// in -> first(w1) -> t -> second(w2), third(w3) -> u, v.
Graph Fork() {
  Graph graph;
  const ValueInfo info{DataType::kFloat, Shape{2, 2}};
  graph.AddInput("in", info);
  for (const char* weight : {"w1", "w2", "w3"}) graph.SetInitializer(weight, Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4}));
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

std::map<std::string, TensorOverride> Overrides(std::vector<LayerOverride> layers, Compat compat = Compat::kOff,
                                                std::map<std::string, TensorOverride> own = {}) {
  PlanOptions options;
  options.compat = compat;
  options.layers = std::move(layers);
  options.overrides = std::move(own);
  return WithLayers(Fork(), options).overrides;
}

TEST(Layers, WeightsOfTheirNodesAlone) {
  LayerOverride layer = Layer({"second"});
  layer.weight = Type(kOwn);
  layer.weight->per_channel = true;
  const auto overrides = Overrides({layer});
  ASSERT_EQ(overrides.size(), 1u);
  EXPECT_EQ(overrides.at("w2").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("w2").axis, 1);
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

TEST(Layers, AReaderOfAnotherTypeGetsAPairOfItsOwn) {
  LayerOverride layer = Layer({"third"});
  layer.input = Type(kOwn);
  const TensorOverride t = Overrides({layer}).at("t");
  EXPECT_EQ(t.type, std::nullopt);
  ASSERT_EQ(t.converts.size(), 1u);
  EXPECT_EQ(t.converts[0].type, TensorType(kOwn));
  EXPECT_EQ(t.converts[0].nodes, std::set<std::string>{"third"});
}

TEST(Layers, ReadersThatSayNothingKeepTheDefault) {
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

TEST(Layers, EachTypeOfReadersHasItsPair) {
  LayerOverride second = Layer({"second"}), third = Layer({"third"});
  second.input = Type(kOwn);
  third.input = Type(kOther);
  EXPECT_EQ(Overrides({second, third}).at("t").converts.size(), 2u);
}

TEST(Layers, ATypeForATensorIsForAllItsReaders) {
  LayerOverride layer = Layer({"third"});
  layer.input = Type(kOwn);
  const TensorOverride t = Overrides({layer}, Compat::kOff, {{"t", Type(kOther)}}).at("t");
  EXPECT_EQ(t.type, TensorType(kOther));
  EXPECT_TRUE(t.converts.empty());
}

// The reference has one pair for all; the node further down decides.
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
  options.layers.push_back(Layer({"second"}));
  options.layers[0].weight = Type(kOwn);
  options.exclude = {"second"};
  EXPECT_TRUE(WithLayers(Fork(), options).overrides.empty());
}

TEST(Layers, OlderSettingsOfTensorsAreWeakest) {
  LayerOverride layer = Layer({"second"});
  layer.weight = Type(kOwn);
  PlanOptions options;
  options.layers = {layer};
  options.base_overrides = {{"w2", Type(kOther)}, {"w3", Type(kOther)}};
  const auto overrides = WithLayers(Fork(), options).overrides;
  EXPECT_EQ(overrides.at("w2").type, TensorType(kOwn));
  EXPECT_EQ(overrides.at("w3").type, TensorType(kOther));
}

}  // namespace
}  // namespace preon
