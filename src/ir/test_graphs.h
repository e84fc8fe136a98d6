// Small graphs for tests.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon::test {

inline ValueInfo FloatInfo(Shape shape) {
  ValueInfo info;
  info.type = DataType::kFloat;
  info.shape = std::move(shape);
  return info;
}

/// A graph under construction: every tensor is float; Conv weights are 1x1 so that shapes stay simple.
class GraphBuilder {
 public:
  explicit GraphBuilder(Shape input_shape, std::string input = "x") {
    model.opsets[""] = 17;
    model.graph.AddInput(std::move(input), FloatInfo(std::move(input_shape)));
  }

  std::string Constant(const std::string& name, Shape shape, float value = 0.5f) {
    const int64_t count = ElementCount(shape);
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = value * (1.0f + 0.01f * static_cast<float>(i)) * (i % 2 == 0 ? 1 : -1);
    model.graph.SetInitializer(name, Tensor::FromFloats(std::move(shape), values));
    return name;
  }

  Node* Op(const std::string& type, std::vector<std::string> inputs, const std::string& output,
           Shape shape = {1, 4, 8, 8}) {
    Node* node = model.graph.AddNode(type, std::move(inputs), {output}, output + "_node");
    node->origins = {node->name};
    model.graph.SetInfo(output, FloatInfo(std::move(shape)));
    return node;
  }

  std::string Conv(const std::string& input, const std::string& output, int64_t channels = 4) {
    Op("Conv", {input, Constant(output + "_w", {channels, channels, 1, 1}), Constant(output + "_b", {channels})},
       output);
    return output;
  }

  /// Both directions, `data` values a step.
  Node* Lstm(const std::string& input, const std::string& output, int64_t data, int64_t hidden) {
    Node* node =
        Op("LSTM",
           {input, Constant(output + "_w", {2, 4 * hidden, data}), Constant(output + "_r", {2, 4 * hidden, hidden})},
           output, {5, 2, 1, hidden});
    node->attributes = {{"hidden_size", hidden}, {"direction", std::string("bidirectional")}};
    return node;
  }

  void Output(const std::string& tensor) { model.graph.AddOutput(tensor, FloatInfo({1, 4, 8, 8})); }

  Model model;
};

}  // namespace preon::test
