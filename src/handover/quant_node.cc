#include "handover/quant_node.h"

#include <algorithm>
#include <vector>

namespace preon {
namespace {

// One number per parameter, in a shape that broadcasts to the tensor's: [], [C, 1, 1] or, for blocks, the whole.
Result<Tensor> Broadcast(const RoundedTensor& tensor, const std::vector<float>& numbers) {
  const StoredCodes& codes = tensor.codes;
  if (codes.block_size > 0) return ForEachElement(codes, tensor.shape, numbers);
  if (codes.axis < 0) return Tensor::FromFloats({}, numbers);
  Shape shape(tensor.shape.size() - static_cast<size_t>(codes.axis), 1);
  shape[0] = static_cast<int64_t>(numbers.size());
  return Tensor::FromFloats(shape, numbers);
}

}  // namespace

Result<Node*> ReplaceByQuantNode(Graph& graph, Node& dequantizer, const std::string& from,
                                 const RoundedTensor& tensor) {
  std::vector<float> scales, zero_points;
  for (const QuantParams& params : tensor.codes.params) {
    scales.push_back(params.scale);
    zero_points.push_back(static_cast<float>(params.zero_point));
  }
  const bool same = std::ranges::all_of(zero_points, [&](float z) { return z == zero_points[0]; });
  PREON_ASSIGN_OR_RETURN(const Tensor scale, Broadcast(tensor, scales));
  const Tensor one = Tensor::ScalarFloat(zero_points[0]);
  PREON_ASSIGN_OR_RETURN(const Tensor zero_point, same ? Result<Tensor>(one) : Broadcast(tensor, zero_points));
  const auto constant = [&](const char* role, const Tensor& value) {
    std::string name = graph.UniqueTensorName(tensor.name + role);
    graph.SetInitializer(name, value);
    return name;
  };
  const std::vector<std::string> inputs = {
      from, constant("_quant_scale", scale), constant("_quant_zero_point", zero_point),
      constant("_quant_bits", Tensor::ScalarFloat(static_cast<float>(tensor.bits)))};
  const std::string output = dequantizer.output();
  Node* quant = graph.AddNode("Quant", inputs, {output}, tensor.name + "_Quant", kQonnxDomain, &dequantizer);
  quant->attributes = {
      {"signed", int64_t{IsSigned(tensor)}}, {"narrow", int64_t{0}}, {"rounding_mode", std::string("ROUND")}};
  graph.RemoveNode(&dequantizer);
  return quant;
}

}  // namespace preon
