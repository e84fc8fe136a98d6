// signed_activations: codes of activations in uint8 become int8.
//
// Before:      y = DequantizeLinear(QuantizeLinear(x, s, z: uint8), s, z)
// After:       y = DequantizeLinear(QuantizeLinear(x, s, z - 128: int8), s, z - 128)
// Conditions:  those of unsigned_activations
// Formula:     s · (q - z) = s · ((q - 128) - (z - 128))
// Why:         some runtimes and accelerators have kernels for int8 alone.
#include "quantize/qdq_passes/activation_signs.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class SignedActivations final : public QdqPass {
 public:
  std::string_view name() const override { return "signed_activations"; }
  std::string_view summary() const override {
    return "uint8 codes of activations become int8: the same values, for runtimes that support only int8";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    const bool changed = ChangeActivationSigns(model.graph, DataType::kUInt8, DataType::kInt8);
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeSignedActivationsPass() { return std::make_unique<SignedActivations>(); }

}  // namespace preon
