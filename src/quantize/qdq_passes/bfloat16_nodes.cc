#include "quantize/qdq_passes/bfloat16_nodes.h"

#include "kernels/mini_float.h"

namespace preon {
namespace {

void AddCast(Graph& graph, const std::string& x, const std::string& node, DataType to, const std::string& y) {
  graph.AddNode("Cast", {x}, {y}, node + "_cast")->attributes["to"] = static_cast<int64_t>(to);
}

void AddProduct(Graph& graph, const std::string& x, const std::string& node, const Tensor& factor,
                const std::string& y) {
  const std::string constant = graph.UniqueTensorName(node + "_scale");
  graph.SetInitializer(constant, factor);
  graph.AddNode("Mul", {x, constant}, {y}, node + "_mul");
}

}  // namespace

void AddCastToBFloat16(Graph& graph, const std::string& x, const std::string& node,
                       const std::optional<Tensor>& inv_scale, const std::string& y) {
  if (!inv_scale) {
    AddCast(graph, x, node, DataType::kBFloat16, y);
    return;
  }
  const std::string divided = graph.UniqueTensorName(node + "_mul_out");
  AddProduct(graph, x, node, *inv_scale, divided);
  AddCast(graph, divided, node, DataType::kBFloat16, y);
}

void AddCastFromBFloat16(Graph& graph, const std::string& x, const std::string& node,
                         const std::optional<Tensor>& scale, const std::string& y) {
  if (!scale) {
    AddCast(graph, x, node, DataType::kFloat, y);
    return;
  }
  const std::string floats = graph.UniqueTensorName(node + "_cast_out");
  AddCast(graph, x, node, DataType::kFloat, floats);
  AddProduct(graph, floats, node, *scale, y);
}

std::string AddClipToBFloat16(Graph& graph, const std::string& x, const std::string& base) {
  constexpr float kLargest = kE8M7.largest();
  const std::string clipped = graph.UniqueTensorName(base + "_clip_output"),
                    low = graph.UniqueTensorName(base + "_clip_min"), high = graph.UniqueTensorName(base + "_clip_max");
  graph.SetInitializer(low, Tensor::ScalarFloat(-kLargest));
  graph.SetInitializer(high, Tensor::ScalarFloat(kLargest));
  graph.AddNode("Clip", {x, low, high}, {clipped}, base + "_Clip");
  return clipped;
}

}  // namespace preon
