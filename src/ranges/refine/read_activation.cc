#include "ranges/refine/read_activation.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace preon {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Silu(double x) { return x * Sigmoid(x); }
double HardSwish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }
double Gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double Tanh(double x) { return std::tanh(x); }

ReadActivation ActivationOf(const Node& node) {
  if (node.Is("Sigmoid")) return ReadActivation::kSigmoid;
  if (node.Is("Tanh")) return ReadActivation::kTanh;
  if (node.Is("HardSwish")) return ReadActivation::kHardSwish;
  const bool gelu = node.op_type == "Gelu" || node.op_type == "FastGelu";
  if (gelu && (node.domain.empty() || node.domain == "com.microsoft") && node.input(1).empty())
    return ReadActivation::kGelu;
  return ReadActivation::kNone;
}

}  // namespace

double (*FunctionOf(ReadActivation activation))(double) {
  switch (activation) {
    case ReadActivation::kSigmoid:
      return Sigmoid;
    case ReadActivation::kTanh:
      return Tanh;
    case ReadActivation::kHardSwish:
      return HardSwish;
    case ReadActivation::kGelu:
      return Gelu;
    case ReadActivation::kSilu:
      return Silu;
    case ReadActivation::kNone:
      break;
  }
  PREON_CHECK(false);
}

bool FlatOnTheRight(ReadActivation activation) {
  return activation == ReadActivation::kSigmoid || activation == ReadActivation::kTanh;
}

ReadActivation FindReadActivation(const Graph& graph, const std::string& tensor) {
  const std::vector<Use> uses = graph.Uses(tensor);
  if (graph.IsOutput(tensor) || std::ranges::any_of(uses, &Use::captured)) return ReadActivation::kNone;
  if (uses.size() == 1) return ActivationOf(*uses[0].node);
  if (uses.size() != 2) return ReadActivation::kNone;
  const Node *sigmoid = uses[0].node, *product = uses[1].node;
  if (!sigmoid->Is("Sigmoid")) std::swap(sigmoid, product);
  if (!sigmoid->Is("Sigmoid") || !product->Is("Mul")) return ReadActivation::kNone;
  const auto reads = [&](const std::string& name) { return std::ranges::count(product->inputs(), name) == 1; };
  return reads(tensor) && reads(sigmoid->output()) ? ReadActivation::kSilu : ReadActivation::kNone;
}

}  // namespace preon
