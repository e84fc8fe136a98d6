// standard_quantizers: QuantizeLinear and DequantizeLinear of com.microsoft and Quark become those of the standard.
//
// Before:      com.microsoft.DequantizeLinear(com.microsoft.QuantizeLinear(x, s, z), s, z)
// After:       DequantizeLinear(QuantizeLinear(x, s, z), s, z)
//              the same for ExtendedQuantizeLinear and ExtendedDequantizeLinear of com.amd.quark
// Conditions:  integer codes with a constant zero point. The opset is raised to 13, or to 21 for codes of 16 or 4 bits.
//              Of int32 the standard has DequantizeLinear alone, with zero point 0: a QuantizeLinear stays as it is,
//              and so does what reads its codes, or has another zero point.
// Formula:     the same
// Why:         below opset 21 other tools write 16-bit codes that way; the standard's operators run everywhere.
#include <algorithm>
#include <string>
#include <string_view>

#include "formats/int_format.h"
#include "formats/quark_operators.h"
#include "formats/tensor_type.h"
#include "ir/model_io.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/library_quantizers.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int64_t kByteOpset = 13, kAllCodesOpset = 21;

// The standard's name for it; "" where it is none of these operators, or is one of the standard.
std::string_view StandardName(const Node& node) {
  for (const std::string_view name : {"QuantizeLinear", "DequantizeLinear"}) {
    if (node.domain == kContribDomain && node.op_type == name) return name;
  }
  return LibraryQuantizer(node);
}

// Is it a DequantizeLinear of int32 codes that the standard has?
bool IsStandardInt32(const Graph& graph, const Node& node, const Tensor& zero_point) {
  const Node* producer = graph.Producer(node.input(0));
  const bool quantized = producer != nullptr && producer->op_type.ends_with("QuantizeLinear");
  return StandardName(node) == "DequantizeLinear" && !quantized &&
         std::ranges::all_of(zero_point.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

// The opset whose standard operator has the node's codes; 0 where none has, or the node needs no change.
int64_t StandardOpset(const Graph& graph, const Node& node) {
  const Tensor* zero_point = graph.Initializer(node.input(2));
  if (StandardName(node).empty() || zero_point == nullptr || !IsIntType(zero_point->type())) return 0;
  switch (DataTypeBits(zero_point->type())) {
    case 8:
      return kByteOpset;
    case 4:
    case 16:
      return kAllCodesOpset;
    default:
      break;
  }
  const bool has_int32 = zero_point->type() == DataType::kInt32 && IsStandardInt32(graph, node, *zero_point);
  return has_int32 ? kByteOpset : 0;
}

class StandardQuantizers final : public QdqPass {
 public:
  std::string_view name() const override { return "standard_quantizers"; }
  std::string_view summary() const override {
    return "QuantizeLinear and DequantizeLinear of com.microsoft and com.amd.quark become those of the ONNX standard";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    int64_t opset = 0;
    for (const auto& node : model.graph.nodes()) opset = std::max(opset, StandardOpset(model.graph, *node));
    if (opset == 0) return Effect::kUnchanged;
    if (model.opset() < opset) PREON_RETURN_IF_ERROR(ConvertOpset(model, opset));
    for (const auto& node : model.graph.nodes()) {
      if (StandardOpset(model.graph, *node) != 0)
        Become(model.graph, *node, std::string(StandardName(*node)), {node->inputs().begin(), node->inputs().end()},
               node->attributes);
    }
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeStandardQuantizersPass() { return std::make_unique<StandardQuantizers>(); }

}  // namespace preon
