// clip6_to_relu: Clip(0, 6) without its upper bound.
//
// Before:      y = Clip(x, 0, 6)
// After:       y = Relu(x)
// Conditions:  float, bounds constant (attributes, initializers or Constant nodes). The model computes something else
//              afterwards where x exceeds 6: only cross-layer equalization asks for it (Quark's ReplaceClip6Relu).
// Formula:     max(x, 0) in place of min(max(x, 0), 6)
#include "passes/clip6_to_relu.h"

#include "ir/model_io.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/clamp.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr float kBound = 6;

class Clip6ToRelu final : public NodePass {
 public:
  Clip6ToRelu()
      : NodePass({.name = "clip6_to_relu",
                  .summary = "Clip(0, 6) becomes Relu: for cross-layer equalization; changes the outputs",
                  .target_ops = {"Clip"},
                  .on_by_default = false,
                  .phase = PassPhase::kSource}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    const std::optional<ClampBounds> bounds = MatchClamp(model.graph, node);
    if (!bounds || bounds->low != 0 || bounds->high != kBound) return false;
    Become(model.graph, node, "Relu", {node.input(0)}, {});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeClip6ToReluPass() { return std::make_unique<Clip6ToRelu>(); }

Result<Effect> ReplaceClip6(Model& model) { return Clip6ToRelu().Apply(model, {}); }

}  // namespace preon
