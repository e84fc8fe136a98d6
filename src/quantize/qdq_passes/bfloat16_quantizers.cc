#include "quantize/qdq_passes/bfloat16_quantizers.h"

#include "formats/quark_operators.h"

namespace preon {
namespace {

bool IsOfLibrary(const Graph& graph, const Node& node, std::string_view op_type, std::string_view older) {
  const bool known = (node.domain == kQuarkDomain && node.op_type == op_type) ||
                     (node.domain == kOlderQuarkDomain && node.op_type == older);
  const Tensor* zero_point = known ? graph.Initializer(node.input(2)) : nullptr;
  return zero_point != nullptr && zero_point->type() == DataType::kBFloat16;
}

}  // namespace

bool IsBFloat16Quantizer(const Graph& graph, const Node& node) {
  return IsOfLibrary(graph, node, kExtendedQuantizeLinear, kVitisQuantizeLinear);
}

bool IsBFloat16Dequantizer(const Graph& graph, const Node& node) {
  return IsOfLibrary(graph, node, kExtendedDequantizeLinear, kVitisDequantizeLinear);
}

}  // namespace preon
