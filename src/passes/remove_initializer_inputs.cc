// remove_initializer_inputs: initializers that the file also lists as graph inputs are no inputs any more.
//
// Before:      graph inputs x, w; initializer w            (required by IR version 3, "overridable" from 4 on)
// After:       graph input x; initializer w; IR version at least 4
// Conditions:  none. Weights that a caller may replace can be neither folded nor quantized.
#include <algorithm>

#include "passes/passes.h"

namespace preon {
namespace {

// The first IR version in which an initializer need not be a graph input.
constexpr int64_t kFirstIrWithPlainInitializers = 4;

class RemoveInitializerInputs final : public Pass {
 public:
  std::string_view name() const override { return "remove_initializer_inputs"; }
  std::vector<std::string_view> aliases() const override { return {"RemoveInputInit"}; }
  std::string_view summary() const override {
    return "removes initializers from the graph inputs, so that they can be folded and quantized";
  }

  Result<Effect> Apply(Model& model, const PassEnv&) const override {
    if (model.graph.overridable_initializers.empty()) return Effect::kUnchanged;
    model.graph.overridable_initializers.clear();
    model.ir_version = std::max(model.ir_version, kFirstIrWithPlainInitializers);
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRemoveInitializerInputsPass() { return std::make_unique<RemoveInitializerInputs>(); }

}  // namespace preon
