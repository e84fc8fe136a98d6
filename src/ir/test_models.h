// Tiny models for the tests of runtime/.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon::test {

/// A model of opset 13 with one float input "x" of this shape, and no node yet.
inline Model EmptyModel(const Shape& input_shape) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "tiny";
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = input_shape});
  return model;
}

/// `count` floats that differ from each other and have both signs: (k * 37 mod 101) / 50 - 1.
inline Tensor Wave(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(ElementCount(shape)));
  for (size_t element = 0; element < values.size(); ++element) {
    values[element] = static_cast<float>(element * 37 % 101) / 50.0f - 1.0f;
  }
  return Tensor::FromFloats(shape, values);
}

/// A 3x3 convolution with padding 1 from `input`, whose weights and bias are waves.
inline void AddConv(Model& model, const std::string& input, const std::string& output, int64_t in_channels,
                    int64_t out_channels) {
  model.graph.SetInitializer(output + "_w", Wave({out_channels, in_channels, 3, 3}));
  model.graph.SetInitializer(output + "_b", Wave({out_channels}));
  Node* conv = model.graph.AddNode("Conv", {input, output + "_w", output + "_b"}, {output});
  conv->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
}

}  // namespace preon::test
