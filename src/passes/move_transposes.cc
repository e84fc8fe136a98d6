// move_transposes: a Transpose goes behind the Reshape that splits its dimensions.
//
// Before:      y = Reshape(Transpose(x) {perm}, shape)
// After:       y = Transpose(Reshape(x, shape')) {perm'}
// Conditions:  each dimension of the Transpose's result becomes one or several of y's, in their order, and one of them
//              several; all are known; the Reshape alone reads that result.
// Formula:     shape' has y's dimensions in the order of x's that they are parts of; perm' brings them back
// Why:         the runtime's optimizer does that in Quark's preprocessing: --compat quark. Nothing is gained by it.
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

using Dims = std::vector<int64_t>;

// For each dimension of `whole` those of `parts` whose product it is; nullopt: they do not lie that way.
std::optional<std::vector<Dims>> SplitInto(const Shape& whole, const Shape& parts) {
  std::vector<Dims> groups;
  size_t next = 0;
  for (const int64_t extent : whole) {
    Dims group;
    int64_t product = 1;
    while (next < parts.size() && parts[next] > 0 && (group.empty() || product < extent)) {
      product *= parts[next];
      group.push_back(parts[next++]);
    }
    if (group.empty() || product != extent) return std::nullopt;
    groups.push_back(std::move(group));
  }
  return next == parts.size() ? std::optional(groups) : std::nullopt;
}

class MoveTransposes final : public NodePass {
 public:
  MoveTransposes()
      : NodePass({.name = "move_transposes",
                  .summary = "a Transpose in front of a Reshape that splits dimensions moves after it",
                  .target_ops = {"Reshape"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* transpose = ProducerOf(graph, node.input(0), "Transpose");
    if (transpose == nullptr || OnlyReader(graph, node.input(0)) == nullptr) return false;
    const std::optional<Shape> before = graph.ShapeOf(node.input(0)), after = graph.ShapeOf(node.output());
    const std::optional<Dims> perm = PermOf(graph, *transpose);
    if (!before || !after || !perm || after->size() <= before->size()) return false;
    const std::optional<std::vector<Dims>> groups = SplitInto(*before, *after);
    if (!groups) return false;

    Dims shape, first(groups->size());  // of the Reshape, and where the parts of each dimension begin in it
    for (size_t dim = 0; dim < perm->size(); ++dim) {
      const auto at = static_cast<size_t>(std::ranges::find(*perm, static_cast<int64_t>(dim)) - perm->begin());
      first[at] = static_cast<int64_t>(shape.size());
      shape.insert(shape.end(), (*groups)[at].begin(), (*groups)[at].end());
    }
    Dims back;
    for (size_t at = 0; at < groups->size(); ++at) {
      for (size_t part = 0; part < (*groups)[at].size(); ++part) back.push_back(first[at] + static_cast<int64_t>(part));
    }
    const std::string x = transpose->input(0), y = node.output(), parts = graph.UniqueTensorName(node.name);
    const std::string target = AddIntsConstant(graph, parts + "_shape", shape);
    const ValueInfo info{.type = graph.TypeOf(y), .shape = Shape(shape.begin(), shape.end())};
    Become(graph, node, "Reshape", {x, target}, {});
    graph.SetOutput(&node, 0, parts);
    graph.SetInfo(parts, info);
    Become(graph, *transpose, "Transpose", {parts}, {{"perm", std::move(back)}});
    graph.SetOutput(transpose, 0, y);
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeMoveTransposesPass() { return std::make_unique<MoveTransposes>(); }

}  // namespace preon
