// fuse_gelu: GELU written out becomes one node.
//
// Before:      y = x * 0.5 * (1 + Erf(x / sqrt(2)))                              any order of the products
//              y = x * 0.5 * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))     cube: Pow or products, any order
// After:       y = Gelu(x) {approximate = none | tanh}       opset 20 on
//              y = com.microsoft Gelu(x) | FastGelu(x)       below
// Conditions:  constants within 1e-3 (0.044715: 1e-5); nothing else reads the inner tensors, none is a graph output.
// Below
//              opset 20 the shape of x is known, and so y's: inference can't see through com.microsoft operators.
// Formula:     as above. Q/DQ on the pieces would hide them from the runtime's own fusion.
#include <cmath>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kFirstOpsetWithGelu = 20;

struct Gelu {
  std::string x;
  std::vector<Node*> nodes;
  Node* last = nullptr;
};

constexpr double kTolerance = 1e-3;  // exporters round the constants

// The data operand of a node that multiplies by `factor` (or divides by its inverse); "" for others.
std::string ScaledInput(const Graph& graph, const Node* node, double factor) {
  if (node == nullptr) return "";
  if (node->Is("Div") && IsScalar(graph, node->input(1), 1 / factor, kTolerance)) return node->input(0);
  if (!node->Is("Mul")) return "";
  for (size_t data = 0; data < 2; ++data) {
    if (IsScalar(graph, node->input(1 - data), factor, kTolerance)) return node->input(data);
  }
  return "";
}

// The product `tensor` = constant * x^power, however it is put together.
struct Monomial {
  double constant = 1;
  int power = 0;
};

// Multiplies `tensor` into `product`, going up through Mul and Pow as far as `x`; false when it is no such product.
bool MultiplyIn(const Graph& graph, const std::string& tensor, const std::string& x, Monomial& product,
                std::vector<Node*>& nodes) {
  if (tensor == x) return ++product.power <= 3;
  if (const std::optional<float> constant = ConstantScalar(graph, tensor)) {
    product.constant *= *constant;
    return true;
  }
  Node* node = graph.Producer(tensor);
  if (node == nullptr || !(node->Is("Mul") || node->Is("Pow"))) return false;
  nodes.push_back(node);
  if (node->Is("Mul")) {
    return MultiplyIn(graph, node->input(0), x, product, nodes) && MultiplyIn(graph, node->input(1), x, product, nodes);
  }
  product.power += 3;
  return node->input(0) == x && IsScalar(graph, node->input(1), 3);
}

// The argument of Erf: x / sqrt(2).
bool MatchErfArgument(const Graph& graph, const std::string& argument, Gelu& gelu) {
  Node* scaled = graph.Producer(argument);
  gelu.x = ScaledInput(graph, scaled, std::sqrt(0.5));
  gelu.nodes.push_back(scaled);
  return !gelu.x.empty();
}

// The argument of Tanh: sqrt(2 / pi) * (x + 0.044715 * x^3).
bool MatchTanhArgument(const Graph& graph, const std::string& argument, Gelu& gelu) {
  Node* scaled = graph.Producer(argument);
  Node* sum = ProducerOf(graph, ScaledInput(graph, scaled, std::sqrt(2 / std::acos(-1.0))), "Add");
  if (sum == nullptr) return false;
  for (size_t index = 0; index < 2; ++index) {
    Monomial term;
    gelu.x = sum->input(1 - index);
    gelu.nodes = {scaled, sum};
    if (MultiplyIn(graph, sum->input(index), gelu.x, term, gelu.nodes) && term.power == 3 &&
        std::abs(term.constant - 0.044715) <= 1e-5) {
      return true;
    }
  }
  return false;
}

// From 1 + Erf or 1 + Tanh down to the last product with x and 0.5.
bool MatchProducts(const Graph& graph, Node* sum, Gelu& gelu) {
  Node* product = OnlyReader(graph, sum->output());
  if (product == nullptr) return false;
  gelu.nodes.insert(gelu.nodes.end(), {sum, product});
  const bool halved = ScaledInput(graph, product, 0.5) == sum->output();
  const std::string other = product->Is("Mul") ? OtherInput(*product, sum->output()) : "";
  Node* half = graph.Producer(other);
  if (!halved && ScaledInput(graph, half, 0.5) == gelu.x) {  // (0.5 * x) * sum
    gelu.nodes.push_back(half);
    gelu.last = product;
    return true;
  }
  if (!halved && other != gelu.x) return false;
  gelu.last = OnlyReader(graph, product->output());  // (0.5 * sum) * x or (x * sum) * 0.5
  if (gelu.last == nullptr) return false;
  gelu.nodes.push_back(gelu.last);
  return halved ? gelu.last->Is("Mul") && OtherInput(*gelu.last, product->output()) == gelu.x
                : ScaledInput(graph, gelu.last, 0.5) == product->output();
}

std::optional<Gelu> MatchGelu(const Graph& graph, Node& node) {
  Gelu gelu;
  const bool matched =
      node.Is("Erf") ? MatchErfArgument(graph, node.input(0), gelu) : MatchTanhArgument(graph, node.input(0), gelu);
  Node* sum = OnlyReader(graph, node.output());
  if (!matched || sum == nullptr || !sum->Is("Add") || !IsScalar(graph, OtherInput(*sum, node.output()), 1, kTolerance))
    return std::nullopt;
  gelu.nodes.push_back(&node);
  if (!MatchProducts(graph, sum, gelu) || !IsClosed(graph, gelu.nodes, gelu.last)) return std::nullopt;
  return gelu;
}

class FuseGelu final : public NodePass {
 public:
  FuseGelu()
      : NodePass({.name = "fuse_gelu",
                  .summary = "GELU written with Erf or Tanh nodes becomes one node",
                  .target_ops = {"Erf", "Tanh"},
                  .aliases = {"FuseGelu"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const override {
    const std::optional<Gelu> gelu = MatchGelu(model.graph, node);
    if (!gelu.has_value()) return false;
    const bool tanh = node.Is("Tanh");
    if (model.opset() >= kFirstOpsetWithGelu && !env.contrib_gelu) {
      Become(model.graph, *gelu->last, "Gelu", {gelu->x}, {{"approximate", std::string(tanh ? "tanh" : "none")}});
    } else {
      const ValueInfo* info = model.graph.Info(gelu->x);
      if (info == nullptr || !info->shape.has_value()) return false;
      if (!model.graph.IsOutput(gelu->last->output())) model.graph.SetInfo(gelu->last->output(), ValueInfo(*info));
      model.opsets.try_emplace("com.microsoft", 1);
      Become(model.graph, *gelu->last, tanh ? "FastGelu" : "Gelu", {gelu->x}, {}, "com.microsoft");
    }
    AbsorbAll(model.graph, gelu->nodes, *gelu->last);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseGeluPass() { return std::make_unique<FuseGelu>(); }

}  // namespace preon
