#include "ranges/refine/read_activation.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Silu(double x) { return x * Sigmoid(x); }
double HardSwish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }
double Gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double Tanh(double x) { return std::tanh(x); }

std::optional<ElementFunction> FunctionOf(const Node& node) {
  if (node.Is("Sigmoid")) return ElementFunction{Sigmoid, true};
  if (node.Is("Tanh")) return ElementFunction{Tanh, true};
  if (node.Is("HardSwish")) return ElementFunction{HardSwish, false};
  const bool gelu = node.op_type == "Gelu" || node.op_type == "FastGelu";
  if (gelu && (node.domain.empty() || node.domain == "com.microsoft") && node.input(1).empty())
    return ElementFunction{Gelu, false};
  return std::nullopt;
}

}  // namespace

std::optional<ElementFunction> FindReadActivation(const Graph& graph, const std::string& tensor) {
  const std::vector<Use> uses = graph.Uses(tensor);
  if (graph.IsOutput(tensor) || std::ranges::any_of(uses, &Use::captured)) return std::nullopt;
  if (uses.size() == 1) return FunctionOf(*uses[0].node);
  if (uses.size() != 2) return std::nullopt;
  const Node *sigmoid = uses[0].node, *product = uses[1].node;
  if (!sigmoid->Is("Sigmoid")) std::swap(sigmoid, product);
  if (!sigmoid->Is("Sigmoid") || !product->Is("Mul")) return std::nullopt;
  const auto reads = [&](const std::string& name) { return std::ranges::count(product->inputs(), name) == 1; };
  return reads(tensor) && reads(sigmoid->output()) ? std::optional(ElementFunction{Silu, false}) : std::nullopt;
}

}  // namespace preon
