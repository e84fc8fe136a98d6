#include "quantize/qdq_passes/library_quantizers.h"

#include "formats/quark_operators.h"

namespace preon {
namespace {

bool HasBFloat16Codes(const Graph& graph, const Node& node) {
  const Tensor* zero_point = graph.Initializer(node.input(2));
  return zero_point != nullptr && zero_point->type() == DataType::kBFloat16;
}

}  // namespace

std::string_view LibraryQuantizer(const Node& node) {
  if (node.domain != kQuarkDomain && node.domain != kOlderQuarkDomain) return "";
  if (node.op_type == kExtendedQuantizeLinear || node.op_type == kVitisQuantizeLinear) return "QuantizeLinear";
  if (node.op_type == kExtendedDequantizeLinear || node.op_type == kVitisDequantizeLinear) return "DequantizeLinear";
  return "";
}

bool IsBFloat16Quantizer(const Graph& graph, const Node& node) {
  return LibraryQuantizer(node) == "QuantizeLinear" && HasBFloat16Codes(graph, node);
}

bool IsBFloat16Dequantizer(const Graph& graph, const Node& node) {
  return LibraryQuantizer(node) == "DequantizeLinear" && HasBFloat16Codes(graph, node);
}

}  // namespace preon
