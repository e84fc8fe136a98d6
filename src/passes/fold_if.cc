// fold_if: a choice that is made already.
//
// Before:      y = If(c) <then: t, else: e>, c constant
// After:       readers of y read t (or e); remove_dead collects the other branch
// Conditions:  both branches lie in the graph (Node::IsFlatIf); as in CanReplaceTensor for every output.
// Formula:     y = c ? t : e
#include <set>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class FoldIf final : public NodePass {
 public:
  FoldIf()
      : NodePass({.name = "fold_if",
                  .summary = "an If with a constant condition becomes its branch",
                  .target_ops = {"If"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const Tensor* condition = Constant(graph, node.input(0));
    if (!node.IsFlatIf() || condition == nullptr || condition->type() != DataType::kBool || condition->count() != 1) {
      return false;
    }
    const size_t count = node.outputs().size();
    const size_t first = condition->As<uint8_t>()[0] != 0 ? 1 : 1 + count;
    std::set<std::string> renamed;
    for (size_t output = 0; output < count; ++output) {
      const std::string &from = node.output(output), &to = node.input(first + output);
      if (from.empty()) continue;
      if (!CanReplaceTensor(graph, from, to)) return false;
      // A tensor can take the name of one graph output.
      if (graph.IsOutput(from) && !renamed.insert(to).second) return false;
    }
    for (size_t output = 0; output < count; ++output) {
      if (!node.output(output).empty()) ReplaceTensor(graph, node.output(output), node.input(first + output));
    }
    graph.RemoveNode(&node);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldIfPass() { return std::make_unique<FoldIf>(); }

}  // namespace preon
