// standard_quantizers: QuantizeLinear and DequantizeLinear of com.microsoft become those of the ONNX standard.
//
// Before:      com.microsoft.DequantizeLinear(com.microsoft.QuantizeLinear(x, s, z), s, z)
// After:       DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// Conditions:  integer codes with a constant zero point. The opset is raised to 13, or to 21 for codes of 16 or 4 bits.
// Formula:     the same
// Why:         below opset 21 other tools write 16-bit codes that way; the standard's operators run everywhere.
#include <algorithm>

#include "formats/int_format.h"
#include "formats/quark_operators.h"
#include "formats/tensor_type.h"
#include "ir/model_io.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int64_t kByteOpset = 13, kAllCodesOpset = 21;

// The opset whose standard operator has the node's codes; 0 where none has, or the node needs no change.
int64_t StandardOpset(const Graph& graph, const Node& node) {
  if (node.domain != kContribDomain || (node.op_type != "QuantizeLinear" && node.op_type != "DequantizeLinear"))
    return 0;
  const Tensor* zero_point = graph.Initializer(node.input(2));
  if (zero_point == nullptr || !IsIntType(zero_point->type())) return 0;
  return IsByte(zero_point->type()) || zero_point->type() == DataType::kInt32 ? kByteOpset : kAllCodesOpset;
}

class StandardQuantizers final : public QdqPass {
 public:
  std::string_view name() const override { return "standard_quantizers"; }
  std::string_view summary() const override {
    return "QuantizeLinear and DequantizeLinear of com.microsoft become those of the ONNX standard";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    int64_t opset = 0;
    for (const auto& node : model.graph.nodes()) opset = std::max(opset, StandardOpset(model.graph, *node));
    if (opset == 0) return Effect::kUnchanged;
    if (model.opset() < opset) PREON_RETURN_IF_ERROR(ConvertOpset(model, opset));
    for (const auto& node : model.graph.nodes()) {
      if (StandardOpset(model.graph, *node) != 0)
        Become(model.graph, *node, node->op_type, {node->inputs().begin(), node->inputs().end()}, node->attributes);
    }
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeStandardQuantizersPass() { return std::make_unique<StandardQuantizers>(); }

}  // namespace preon
