// unsigned_activations: codes of activations in int8 become uint8.
//
// Before:      y = DequantizeLinear(QuantizeLinear(x, s, z: int8), s, z)
// After:       y = DequantizeLinear(QuantizeLinear(x, s, z + 128: uint8), s, z + 128)
// Conditions:  only DequantizeLinear nodes read the codes; scales and zero points are constant; no weight of Conv,
//              ConvTranspose, Gemm or MatMul. Constant codes that a node reads as data follow: they need the same type.
// Formula:     s · (q - z) = s · ((q + 128) - (z + 128))
// Why:         the runtime's integer kernels for uint8 activations are up to four times as fast, and there are more of
//              them (docs/design/placement.md).
#include "quantize/qdq_passes/activation_signs.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class UnsignedActivations final : public QdqPass {
 public:
  std::string_view name() const override { return "unsigned_activations"; }
  std::string_view summary() const override {
    return "int8 codes of activations become uint8: the same values, faster kernels";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    const bool changed = ChangeActivationSigns(model.graph, DataType::kInt8, DataType::kUInt8);
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeUnsignedActivationsPass() { return std::make_unique<UnsignedActivations>(); }

}  // namespace preon
