// Small float models and what they look like with weights in 8-bit codes.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "data/data_source.h"
#include "formats/int_format.h"
#include "ir/test_models.h"

namespace preon::test {

/// The weight of each node becomes int8 codes of this scale behind a DequantizeLinear; the codes are the nearest.
inline Model WithCodes(Model model, float scale) {
  Graph& graph = model.graph;
  model.opsets[""] = 21;
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes()) {
    if (node->Is("Conv") || node->Is("Gemm") || node->Is("MatMul")) nodes.push_back(node.get());
  }
  for (Node* node : nodes) {
    const std::string weight = node->input(1);
    const auto encoded =
        EncodeTensor(*graph.Initializer(weight), {{.scale = scale}}, -1, {.type = DataType::kInt8}).value();
    graph.SetInitializer(weight + "_codes", encoded.codes);
    graph.SetInitializer(weight + "_scale", Tensor::ScalarFloat(scale));
    graph.AddNode("DequantizeLinear", {weight + "_codes", weight + "_scale"}, {weight + "_dq"}, "", "", node);
    graph.SetInput(node, 1, weight + "_dq");
    graph.RemoveInitializer(weight);
  }
  return model;
}

/// Runs of one sample each: values that follow each other, as in images.
inline std::vector<Batch> RandomRuns(const Shape& shape, size_t runs, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Batch> batches;
  for (size_t run = 0; run < runs; ++run) {
    std::vector<float> values(static_cast<size_t>(ElementCount(shape)));
    float last = 0;
    for (float& value : values) last = value = 0.9F * last + 0.4F * normal(random);
    batches.push_back(
        {.feeds = {{"x", Tensor::FromFloats(shape, values)}}, .samples = 1, .first_sample = static_cast<int64_t>(run)});
  }
  return batches;
}

/// Two convolutions with a Relu between them and a branch around the second.
inline Model TwoConvolutions() {
  Model model = EmptyModel({1, 3, 8, 8});
  AddConv(model, "x", "a", 3, 6);
  model.graph.AddNode("Relu", {"a"}, {"b"});
  AddConv(model, "b", "c", 6, 6);
  model.graph.AddNode("Add", {"b", "c"}, {"y"});
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{1, 6, 8, 8}});
  return model;
}

/// The bias of the convolution that gives `output` becomes int8 codes of one scale.
inline void MakeBiasCoarse(Model& model, const std::string& output, float scale, const std::vector<int8_t>& codes) {
  Graph& graph = model.graph;
  Node* conv = graph.Producer(output);
  const std::string bias = output + "_b_codes";
  graph.SetInitializer(bias, Tensor::From<int8_t>(DataType::kInt8, {static_cast<int64_t>(codes.size())}, codes));
  graph.SetInitializer(bias + "_scale", Tensor::ScalarFloat(scale));
  graph.AddNode("DequantizeLinear", {bias, bias + "_scale"}, {bias + "_dq"}, "", "", conv);
  graph.SetInput(conv, 2, bias + "_dq");
}

}  // namespace preon::test
