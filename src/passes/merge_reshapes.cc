// merge_reshapes: of two Reshapes in a row the first goes.
//
// Before:      y = Reshape(Reshape(x, shape), target)
// After:       y = Reshape(x, target')
// Conditions:  the second alone reads the first; the dimensions of y are known but for one.
// Formula:     target' = the shape of y
// Why:         the runtime's optimizer does that in Quark's preprocessing: --compat quark.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/linear_layer.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class MergeReshapes final : public NodePass {
 public:
  MergeReshapes()
      : NodePass({.name = "merge_reshapes",
                  .summary = "only the second of two consecutive Reshapes stays",
                  .target_ops = {"Reshape"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* first = ProducerOf(graph, node.input(0), "Reshape");
    if (first == nullptr || OnlyReader(graph, first->output()) == nullptr) return false;
    const auto target = ReshapeTargetOf(graph, node.output());
    if (!target) return false;
    const std::string constant = AddIntsConstant(graph, node.output() + "_shape", *target);
    graph.SetInputs(&node, {first->input(0), constant});
    node.attributes.clear();
    Absorb(node, *first);
    graph.RemoveNode(first);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeMergeReshapesPass() { return std::make_unique<MergeReshapes>(); }

}  // namespace preon
