#include "quantize/write/quark_casts.h"

namespace preon {

void WriteScaledCasts(Graph& graph, const RoundTripNames& names, float scale) {
  const std::string quantize = names.base + "_QuantizeLinear" + names.suffix;
  const std::string dequantize = names.base + "_DequantizeLinear" + names.suffix;
  const auto multiply = [&](const std::string& x, const std::string& node, float factor, const std::string& y) {
    const std::string constant = graph.UniqueTensorName(node + "_scale");
    graph.SetInitializer(constant, Tensor::ScalarFloat(factor));
    graph.AddNode("Mul", {x, constant}, {y}, node + "_mul");
  };
  const auto cast = [&](const std::string& x, const std::string& node, DataType to, const std::string& y) {
    graph.AddNode("Cast", {x}, {y}, node + "_cast")->attributes["to"] = static_cast<int64_t>(to);
  };
  const std::string divided = graph.UniqueTensorName(quantize + "_mul_out"),
                    rounded = graph.UniqueTensorName(names.base + "_QuantizeLinear_Output" + names.suffix),
                    floats = graph.UniqueTensorName(dequantize + "_cast_out");
  multiply(names.x, quantize, 1 / scale, divided);
  cast(divided, quantize, DataType::kBFloat16, rounded);
  cast(rounded, dequantize, DataType::kFloat, floats);
  multiply(floats, dequantize, scale, names.y);
}

}  // namespace preon
