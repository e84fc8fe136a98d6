// simplify_softmax: a Softmax over the last dimension needs no matrix around it.
//
// Before:      y = Reshape(Softmax(Flatten(x) {axis = k}) {axis = -1}, Shape(x))
// After:       y = Softmax(x) {axis = -1}
// Conditions:  x has k + 1 dimensions; nothing else reads what lies between.
// Formula:     Flatten keeps the last dimension as columns, and Reshape restores the others
// Why:         the form that a Softmax below opset 13 gets when the model is raised, where its rank is not yet known.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class SimplifySoftmax final : public NodePass {
 public:
  SimplifySoftmax()
      : NodePass({.name = "simplify_softmax",
                  .summary = "removes Flatten and Reshape around a Softmax over the last dimension",
                  .target_ops = {"Softmax", "LogSoftmax"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* const flatten = ProducerOf(graph, node.input(0), "Flatten");
    Node* const reshape = OnlyReader(graph, node.output());
    if (flatten == nullptr || reshape == nullptr || !reshape->Is("Reshape") || reshape->input(0) != node.output() ||
        node.Int("axis", -1) != -1) {
      return false;
    }
    const std::string x = flatten->input(0);
    const std::optional<Shape> shape = graph.ShapeOf(x);
    const Node* const target = ProducerOf(graph, reshape->input(1), "Shape");
    const int64_t axis = flatten->Int("axis", 1);
    if (!shape || target == nullptr || target->input(0) != x || target->Has("start") || target->Has("end") ||
        (axis != -1 && axis + 1 != static_cast<int64_t>(shape->size()))) {
      return false;
    }
    Node* const nodes[] = {flatten, &node, reshape};
    if (!IsClosed(graph, nodes, reshape)) return false;
    Become(graph, *reshape, node.op_type, {x}, {{"axis", int64_t{-1}}});
    AbsorbAll(graph, nodes, *reshape);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSimplifySoftmaxPass() { return std::make_unique<SimplifySoftmax>(); }

}  // namespace preon
