// remove_identity: removes nodes that change nothing.
//
// Before:      y = Identity(x) | Dropout(x) | Cast(x) to x's type | Transpose, Reshape, Pad, Slice, Resize, … without
// effect After:       readers of y read x; where y is a graph output, the producer of x writes y Conditions:  as in
// NoOpInput; y is not read in a sub-graph; not both x and y are names that must survive. Formula:     y = x
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/no_op.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class RemoveIdentity final : public NodePass {
 public:
  RemoveIdentity()
      : NodePass({.name = "remove_identity", .summary = "removes nodes that change nothing", .target_ops = {}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    const std::optional<size_t> input = NoOpInput(model.graph, node);
    return input.has_value() && Bypass(model.graph, node, *input);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRemoveIdentityPass() { return std::make_unique<RemoveIdentity>(); }

}  // namespace preon
