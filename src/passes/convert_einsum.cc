// convert_einsum: an Einsum with a constant operand becomes the MatMul that it is.
//
// Before:      y = Einsum(x, W) {"BC,w->BN"}, or Einsum(W, x)
//              B, C and N: one or several letters, w: those of C and N in any order
// After:       y = Reshape(MatMul(Reshape(x, [B, C]), W'), [B, N])
//              a Reshape only where C or N has several letters
// Conditions:  W: a constant, x: float; no letter repeats in a term; B is not empty, C ends x, N ends y; the sizes of
//              C in x are known and equal to those in W (Einsum repeats a dimension of size 1, MatMul does not); the
//              user has not excluded the node.
// Formula:     W' = W with its dimensions in the order C, N, as a matrix
// Why:         layers of Keras (EinsumDense) and attention projections written with einsum; the runtime has integer
//              kernels for MatMul, none for Einsum, and weights of an Einsum would stay float.
#include <algorithm>
#include <numeric>
#include <ranges>

#include "base/text.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr char kEllipsis = '.';

struct Terms {
  std::vector<std::string> inputs;
  std::string output;
};

// Nullopt: no "->", or a letter repeats in a term.
std::optional<Terms> Parse(std::string equation) {
  std::erase(equation, ' ');
  for (size_t dots; (dots = equation.find("...")) != std::string::npos;) equation.replace(dots, 3, 1, kEllipsis);
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  Terms terms{.inputs = Split(equation.substr(0, arrow), ','), .output = equation.substr(arrow + 2)};
  for (std::string term : terms.inputs) {
    std::ranges::sort(term);
    if (std::ranges::adjacent_find(term) != term.end()) return std::nullopt;
  }
  return terms;
}

struct LinearEinsum {
  std::string x, weight;
  std::vector<size_t> order;           ///< of the weight's dimensions: C, then N
  std::vector<int64_t> rows, columns;  ///< sizes of C and of N
  size_t kept_rank = 0;                ///< of B
};

int64_t CountOf(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The constant with its dimensions in this order, as a matrix.
Tensor AsMatrix(const Tensor& weight, const std::vector<size_t>& order, const Shape& matrix) {
  const Shape& shape = weight.shape();
  if (std::ranges::is_sorted(order)) return weight.Reshaped(matrix);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  Tensor result = Tensor::Allocate(weight.type(), matrix);
  const std::span<const float> from = weight.floats();
  std::vector<int64_t> index(order.size());
  for (float& value : result.Mutable<float>()) {
    int64_t offset = 0;
    for (size_t k = 0; k < order.size(); ++k) offset += index[k] * strides[order[k]];
    value = from[static_cast<size_t>(offset)];
    for (size_t k = order.size(); k-- > 0 && ++index[k] == shape[order[k]];) index[k] = 0;
  }
  return result;
}

std::optional<LinearEinsum> Match(const Graph& graph, const Node& node) {
  const std::optional<Terms> terms = Parse(node.String("equation", ""));
  if (!terms || terms->inputs.size() != 2 || node.inputs().size() != 2) return std::nullopt;
  const size_t of_weight = Constant(graph, node.input(1)) != nullptr ? 1 : 0;
  LinearEinsum found{.x = node.input(1 - of_weight), .weight = node.input(of_weight)};
  const Tensor* weight = Constant(graph, found.weight);
  if (weight == nullptr || weight->type() != DataType::kFloat || weight->count() == 0) return std::nullopt;
  if (Constant(graph, found.x) != nullptr) return std::nullopt;  // fold_constants computes it
  const std::string &x = terms->inputs[1 - of_weight], &w = terms->inputs[of_weight], &y = terms->output;
  const auto is_in = [](const std::string& term, char letter) { return term.find(letter) != std::string::npos; };
  const size_t kept = static_cast<size_t>(std::ranges::mismatch(x, y).in1 - x.begin());
  const std::string contracted = x.substr(kept), added = y.substr(kept);
  if (kept == 0 || contracted.empty() || added.empty() || w.size() != contracted.size() + added.size() ||
      w.size() != weight->shape().size() || is_in(w, kEllipsis))
    return std::nullopt;
  for (const char letter : contracted + added) {
    if (!is_in(w, letter)) return std::nullopt;  // so that w has no letter of B, for letters do not repeat
    found.order.push_back(w.find(letter));
    std::vector<int64_t>& sizes = found.order.size() <= contracted.size() ? found.rows : found.columns;
    sizes.push_back(weight->shape()[found.order.back()]);
  }
  if (std::ranges::any_of(contracted, [&](char letter) { return is_in(added, letter); })) return std::nullopt;
  const std::optional<Shape> shape = graph.ShapeOf(found.x);
  if (!shape || shape->size() <= contracted.size()) return std::nullopt;
  found.kept_rank = shape->size() - contracted.size();
  if (!std::ranges::equal(*shape | std::views::drop(found.kept_rank), found.rows)) return std::nullopt;
  return found;
}

// A Reshape that leaves the first `kept` dimensions as they are.
void AddReshape(Graph& graph, const Node& of, size_t kept, std::vector<int64_t> sizes,
                const std::pair<std::string, std::string>& from_to, const Node* before) {
  sizes.insert(sizes.begin(), kept, 0);
  const std::string target = AddIntsConstant(graph, from_to.second + "_shape", sizes);
  Node* reshape = graph.AddNode("Reshape", {from_to.first, target}, {from_to.second}, of.name + "_Reshape", "", before);
  reshape->named_by_user = of.named_by_user;
  reshape->origins = of.origins;
  reshape->home = of.home;
}

class ConvertEinsum final : public NodePass {
 public:
  ConvertEinsum()
      : NodePass({.name = "convert_einsum",
                  .summary = "Einsum with a constant operand becomes MatMul",
                  .target_ops = {"Einsum"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const override {
    Graph& graph = model.graph;
    if ((env.excluded && env.excluded(node)) || graph.TypeOf(node.output()) != DataType::kFloat) return false;
    const std::optional<LinearEinsum> found = Match(graph, node);
    if (!found) return false;
    const std::string y = node.output();
    std::string x = found->x;
    if (found->rows.size() > 1) {
      x = graph.UniqueTensorName(y + "_rows");
      AddReshape(graph, node, found->kept_rank, {CountOf(found->rows)}, {found->x, x}, &node);
    }
    if (found->columns.size() > 1) {
      const std::string product = graph.UniqueTensorName(y + "_product");
      graph.SetOutput(&node, 0, product);
      AddReshape(graph, node, found->kept_rank, found->columns, {product, y}, graph.NodeBehind(&node));
    }
    Become(graph, node, "MatMul", {x, found->weight}, {});
    const Tensor& weight = *graph.Initializer(found->weight);
    const Shape matrix = {CountOf(found->rows), CountOf(found->columns)};
    if (weight.shape() != matrix || !std::ranges::is_sorted(found->order))
      SetConstantInput(graph, node, 1, AsMatrix(weight, found->order, matrix), found->weight + "_matrix");
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConvertEinsumPass() { return std::make_unique<ConvertEinsum>(); }

}  // namespace preon
