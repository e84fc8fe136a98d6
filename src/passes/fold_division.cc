// fold_division: a division by a constant goes into the weights of the projection in front of it.
//
// Before:      s = MatMul(Transpose(MatMul(x, w)), k), y = Div(s, 8)
// After:       y = MatMul(Transpose(MatMul(x, w / 8)), k)
// Conditions:  a constant of one element, neither 0 nor 1. Behind a product of two activations (scores of attention)
// the
//              projection is looked for in front of its first factor, also behind a Split, of which one part is
//              divided (a bias then has as many columns as the weight); else the quotient is read by a MatMul or Gemm.
//              Between projection and division lie only Transpose, Reshape, Squeeze, Unsqueeze, Flatten and Identity;
//              each tensor in between has one reader, and none is an output. Projection: MatMul of a constant, with or
//              without a constant Add behind it, or Gemm.
// Formula:     w' = w / c, b' = b / c: exact where c is a power of two
// Why:         Quark's fold_div_into_matmul: one operator less to quantize.
#include <array>
#include <cmath>

#include "base/text.h"
#include "ir/constant_value.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 6> kMovers = {"Transpose", "Reshape", "Squeeze",
                                                     "Unsqueeze", "Flatten", "Identity"};
constexpr int kMostMovers = 32;

// The columns of the weight that a Split passes on.
struct Part {
  int64_t begin = 0, end = 0;
};

// What computes a tensor from constants, and which constants.
struct Projection {
  std::vector<std::pair<Node*, size_t>> constants;  // weight, then bias
  std::optional<Part> part;                         // of their last axis; nullopt: all
};

class DivisionFolder {
 public:
  explicit DivisionFolder(Graph& graph) : graph_(graph) {}

  bool Into(Node& division, double divisor) {
    const std::string numerator = division.input(0);
    Node* producer = Sole(numerator);
    if (producer == nullptr) return false;
    const bool scores = producer->Is("MatMul") && !HasConstant(*producer);
    if (!scores && !FeedsProduct(division)) return false;
    const std::optional<Projection> projection = Find(scores ? producer->input(0) : numerator, scores);
    if (!projection || (projection->part && !HasEqualColumns(*projection))) return false;
    for (const auto& [node, input] : projection->constants) Divide(*node, input, projection->part, divisor);
    MergeIntoProducer(graph_, division);
    return true;
  }

 private:
  // Who writes a tensor that is read once, and only by what leads to the division.
  Node* Sole(const std::string& tensor) const {
    return graph_.UseCount(tensor) == 1 && !graph_.HasCapturedUse(tensor) ? graph_.Producer(tensor) : nullptr;
  }
  bool IsConstant(const std::string& tensor) const { return IsFloatConstant(graph_, tensor); }
  bool HasConstant(const Node& node) const { return IsConstant(node.input(0)) || IsConstant(node.input(1)); }

  bool FeedsProduct(const Node& division) const {
    for (const Use& use : graph_.Uses(division.output())) {
      if (!use.captured && (use.node->Is("MatMul") || use.node->Is("Gemm"))) return true;
    }
    return false;
  }

  std::optional<Projection> Find(std::string tensor, bool through_split) const {
    std::optional<Part> part;
    for (int hop = 0; hop < kMostMovers; ++hop) {
      Node* node = Sole(tensor);
      if (node == nullptr || !node->domain.empty()) return std::nullopt;
      if (Contains(kMovers, node->op_type) && !part) {
        tensor = node->input(0);
      } else if (node->Is("Split") && through_split && !part) {
        part = PartOf(*node, tensor);
        if (!part) return std::nullopt;
        tensor = node->input(0);
      } else {
        return ProjectionAt(*node, part);
      }
    }
    return std::nullopt;
  }

  // Of a Split of the last axis.
  std::optional<Part> PartOf(const Node& split, const std::string& output) const {
    const std::optional<Shape> shape = graph_.ShapeOf(split.input(0));
    if (!shape || shape->empty()) return std::nullopt;
    const auto last = static_cast<int64_t>(shape->size()) - 1;
    const int64_t axis = split.Int("axis", 0);
    if (axis != last && axis != -1) return std::nullopt;
    const int64_t count = std::ssize(split.outputs()), extent = shape->back();
    std::vector<int64_t> sizes = IntsOf(graph_, split, 1, "split").value_or(std::vector<int64_t>());
    if (sizes.empty() && extent > 0 && extent % count == 0) sizes.assign(static_cast<size_t>(count), extent / count);
    if (std::ssize(sizes) != count) return std::nullopt;
    Part part;
    for (size_t index = 0; split.output(index) != output; ++index) part.begin += sizes[index];
    const auto at = std::ranges::find(split.outputs(), output) - split.outputs().begin();
    part.end = part.begin + sizes[static_cast<size_t>(at)];
    return part;
  }

  std::optional<Projection> ProjectionAt(Node& node, const std::optional<Part>& part) const {
    if (node.Is("Gemm") && IsConstant(node.input(1)) && !(part && node.Int("transB", 0) != 0)) {
      Projection projection{{{&node, 1}}, part};
      if (node.input(2).empty()) return projection;
      if (!IsConstant(node.input(2))) return std::nullopt;
      projection.constants.emplace_back(&node, 2);
      return projection;
    }
    if (node.Is("MatMul") && HasConstant(node)) {
      const size_t weight = IsConstant(node.input(1)) ? 1 : 0;
      if (part && weight == 0) return std::nullopt;
      return Projection{{{&node, weight}}, part};
    }
    if (!node.Is("Add") || !HasConstant(node)) return std::nullopt;
    const size_t bias = IsConstant(node.input(1)) ? 1 : 0;
    Node* product = Sole(node.input(1 - bias));
    if (product == nullptr || !product->Is("MatMul")) return std::nullopt;
    std::optional<Projection> projection = ProjectionAt(*product, part);
    if (projection) projection->constants.emplace_back(&node, bias);
    return projection;
  }

  // A constant that is broadcast over the columns has none of its own for the part.
  bool HasEqualColumns(const Projection& projection) const {
    const Shape& weight =
        graph_.Initializer(projection.constants[0].first->input(projection.constants[0].second))->shape();
    return weight.size() > 1 && std::ranges::all_of(projection.constants, [&](const auto& constant) {
             const Shape& shape = graph_.Initializer(constant.first->input(constant.second))->shape();
             return !shape.empty() && shape.back() == weight.back();
           });
  }

  void Divide(Node& node, size_t input, const std::optional<Part>& part, double divisor) {
    const std::string name = node.input(input);
    const Tensor old = *graph_.Initializer(name);
    std::vector<float> values(old.floats().begin(), old.floats().end());
    const int64_t columns = old.shape().empty() ? 1 : old.shape().back();
    for (size_t index = 0; index < values.size(); ++index) {
      const int64_t column = static_cast<int64_t>(index) % columns;
      if (!part || (column >= part->begin && column < part->end))
        values[index] = static_cast<float>(double{values[index]} / divisor);
    }
    const std::string divided = graph_.UniqueTensorName(name + "_divfold");
    graph_.SetInitializer(divided, Tensor::FromFloats(old.shape(), values));
    graph_.SetInput(&node, input, divided);
  }

  Graph& graph_;
};

class FoldDivision final : public NodePass {
 public:
  FoldDivision()
      : NodePass({.name = "fold_division",
                  .summary = "a division by a constant goes into the weights of the layer in front of it",
                  .target_ops = {"Div"},
                  .aliases = {"fold_div_into_matmul"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    const std::optional<float> divisor = ConstantScalar(model.graph, node.input(1));
    if (!divisor || *divisor == 0 || *divisor == 1 || !std::isfinite(*divisor)) return false;
    return DivisionFolder(model.graph).Into(node, double{*divisor});
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldDivisionPass() { return std::make_unique<FoldDivision>(); }

}  // namespace preon
