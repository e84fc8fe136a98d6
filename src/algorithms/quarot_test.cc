#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "algorithms/algorithms.h"
#include "base/output/temp_dir.h"
#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::FloatInfo;
using test::GraphBuilder;

const NodeFilter kAllNodes = [](const Node&) { return true; };
const Shape kStreamShape = {1, 3, 4};

/// x -> MatMul write -> LayerNormalization norm -> MatMul read.
struct Stream : GraphBuilder {
  Stream() : GraphBuilder(kStreamShape) {
    Op("MatMul", {"x", Constant("w", {4, 4})}, "h", kStreamShape);
    Op("LayerNormalization", {"h", Constant("scale", {4}, 1.5F), Constant("shift", {4}, 0.3F)}, "n", kStreamShape);
    Op("MatMul", {"n", Constant("v", {4, 4}, 0.7F)}, "y", kStreamShape);
    model.graph.AddOutput("y", FloatInfo(kStreamShape));
  }
};

class QuarotTest : public ::testing::Test {
 protected:
  Result<bool> Rotate(Model& model, const std::string& config, AlgorithmValues::Texts values = {}) {
    const std::string file = folder_.File("r.json");
    std::ofstream(file) << config;
    values["r-config-path"] = file;
    const auto plain = MakeQuarotAlgorithm();
    PREON_ASSIGN_OR_RETURN(const auto configured,
                           plain->Configured(AlgorithmValues(plain->options(), std::move(values))));
    return configured->RewriteFloat(model, kAllNodes, {}, {});
  }

  const TempDir folder_ = *TempDir::Create(::testing::TempDir());
};

constexpr const char* kWhole =
    R"({"R1_pairs": [{"prev_nodes": ["h_node"], "norm_node": "n_node", "next_nodes": ["y_node"]}]})";

TEST_F(QuarotTest, ScalesOfTheNormalizationMoveAndWeightsAreRotated) {
  Stream stream;
  const std::vector<float> before(stream.model.graph.Initializer("w")->floats().begin(),
                                  stream.model.graph.Initializer("w")->floats().end());
  const Result<bool> changed = Rotate(stream.model, kWhole);
  ASSERT_TRUE(changed.ok()) << changed.status().ToString();
  EXPECT_TRUE(*changed);
  const Graph& graph = stream.model.graph;
  EXPECT_TRUE(graph.CheckIntegrity().ok());
  const Node& norm = *graph.FindNode("n_node");
  EXPECT_THAT(graph.Initializer(norm.input(1))->floats(), ::testing::Each(1));
  EXPECT_EQ(norm.input(2), "");
  EXPECT_EQ(graph.Producer("y")->op_type, "Add");  // of what the shift gives
  const auto after = graph.Initializer(graph.FindNode("h_node")->input(1))->floats();
  for (size_t row = 0; row < 4; ++row) {
    double was = 0, is = 0, squares_before = 0, squares_after = 0;
    for (size_t i = 4 * row; i < 4 * row + 4; ++i) {
      was += double{before[i]};
      is += double{after[i]};
      squares_before += double{before[i]} * double{before[i]};
      squares_after += double{after[i]} * double{after[i]};
    }
    EXPECT_NEAR(is, was, 1e-6);  // LayerNormalization takes off the same mean
    EXPECT_NEAR(squares_after, squares_before, 1e-6);
  }
}

TEST_F(QuarotTest, WhatItCannotRotateIsAnErrorThatNamesIt) {
  const auto fails = [&](const std::string& config, AlgorithmValues::Texts values, ErrorId id,
                         const std::string& says) {
    Stream stream;
    const Result<bool> changed = Rotate(stream.model, config, std::move(values));
    ASSERT_FALSE(changed.ok()) << says;
    EXPECT_EQ(changed.status().id(), id) << changed.status().ToString();
    EXPECT_THAT(changed.status().message(), ::testing::HasSubstr(says));
  };
  fails("[]", {}, ErrorId::kBadConfig, "R1_pairs");
  fails(R"({"R1_pairs": [{"prev_node": []}]})", {}, ErrorId::kBadConfig, "did you mean 'prev_nodes'");
  fails(R"({"R1_pairs": [{"prev_nodes": ["other"]}]})", {}, ErrorId::kNameNotInModel, "'other'");
  fails(R"({"R1_pairs": [{"prev_nodes": ["n_node"]}]})", {}, ErrorId::kNotYetSupported, "LayerNormalization");
  fails(R"({"R1_pairs": [{"norm_node": "n_node", "next_nodes": []}]})", {}, ErrorId::kConflictingOptions, "'y_node'");
  fails(kWhole, {{"r-matrix-dim", "8"}}, ErrorId::kConflictingOptions, "has 4 channels");
}

TEST_F(QuarotTest, NeedsTheFile) {
  const auto plain = MakeQuarotAlgorithm();
  EXPECT_EQ(plain->Configured(AlgorithmValues(plain->options(), {})).status().id(), ErrorId::kMissingOption);
}

}  // namespace
}  // namespace preon
