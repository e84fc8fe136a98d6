#include "quantize/qdq_passes/clips_to_min_max.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

// x -> Clip(bounds) -> QuantizeLinear with zero points of `codes`.
Model ClipModel(DataType codes, std::vector<std::string> bounds) {
  GraphBuilder b({1, 4});
  b.Constant("low", {});
  b.Constant("high", {});
  b.Constant("scale", {});
  b.model.graph.SetInitializer("zero", Tensor::Allocate(codes, {}));
  bounds.insert(bounds.begin(), "x");
  b.Op("Clip", bounds, "clipped", {1, 4});
  b.Op("QuantizeLinear", {"clipped", "scale", "zero"}, "y", {1, 4});
  b.Output("y");
  return std::move(b.model);
}

std::vector<std::string> Spelled(DataType codes, std::vector<std::string> bounds) {
  Model model = ClipModel(codes, std::move(bounds));
  SpellOutClips(model.graph);
  EXPECT_TRUE(model.graph.CheckIntegrity().ok());
  std::vector<std::string> nodes;
  for (const auto& node : model.graph.nodes()) {
    std::string text = node->op_type + "(";
    for (const std::string& input : node->inputs()) text += input + " ";
    nodes.push_back(text + ")");
  }
  nodes.pop_back();  // QuantizeLinear
  return nodes;
}

TEST(SpellOutClips, MaxAndMinInFrontOfFourBits) {
  using Nodes = std::vector<std::string>;
  for (const DataType codes : {DataType::kInt4, DataType::kUInt4}) {
    EXPECT_EQ(Spelled(codes, {"low", "high"}), (Nodes{"Max(x low )", "Min(clipped_raised high )"}));
    EXPECT_EQ(Spelled(codes, {"low"}), Nodes{"Max(x low )"});
    EXPECT_EQ(Spelled(codes, {"", "high"}), Nodes{"Min(x high )"});
    EXPECT_EQ(Spelled(codes, {}), Nodes{"Clip(x )"});
  }
}

TEST(SpellOutClips, OtherCodesKeepIt) {
  EXPECT_EQ(Spelled(DataType::kUInt8, {"low", "high"}), std::vector<std::string>{"Clip(x low high )"});
}

}  // namespace
}  // namespace preon
