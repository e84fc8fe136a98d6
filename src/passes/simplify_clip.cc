// simplify_clip: clamps in their simplest form.
//
// Before:      Clip(x, 0, inf);  Max(x, c), Min(x, c);  Clip(x, -inf, inf);  Clip2(Clip1(x)), Relu(Clip(x)), …
// After:       Relu(x);          Clip(x, c, …);         x;                   one clamp
// Conditions:  float; bounds constant, low <= high. Two clamps become one where the inner one is read by the outer
// alone
//              and is no graph output; an outer clamp that the inner one has made needless goes in any case.
// Formula:     clamp(clamp(x, l1, h1), l2, h2) = clamp(x, clamp(l1, l2, h2), clamp(h1, l2, h2))
#include <algorithm>
#include <cmath>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/clamp.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr int64_t kFirstOpsetWithClipInputs = 11;

bool IsUsable(const ClampBounds& bounds) {
  return bounds.low <= bounds.high && !(std::isinf(bounds.low) && bounds.low > 0) &&
         !(std::isinf(bounds.high) && bounds.high < 0);
}

// Writes the clamp as Relu or Clip; false when the node is that already.
bool WriteClamp(Model& model, Node& node, const std::string& input, const ClampBounds& bounds) {
  Graph& graph = model.graph;
  if (bounds.low == 0 && std::isinf(bounds.high)) {
    if (node.Is("Relu") && node.input(0) == input) return false;
    Become(graph, node, "Relu", {input}, {});
    return true;
  }
  const std::optional<ClampBounds> now = MatchClamp(graph, node);
  if (node.Is("Clip") && node.input(0) == input && now->low == bounds.low && now->high == bounds.high) return false;
  std::vector<std::string> inputs = {input};
  std::map<std::string, AttributeValue> attributes;
  const auto set = [&](size_t index, const std::string& bound_name, float bound) {
    if (std::isinf(bound)) return;
    if (model.opset() < kFirstOpsetWithClipInputs) {
      attributes[bound_name] = bound;
      return;
    }
    inputs.resize(index + 1);
    inputs[index] = graph.UniqueTensorName(node.output() + "_" + bound_name);
    graph.SetInitializer(inputs[index], Tensor::ScalarFloat(bound));
  };
  set(1, "min", bounds.low);
  set(2, "max", bounds.high);
  Become(graph, node, "Clip", inputs, attributes);
  return true;
}

class SimplifyClip final : public NodePass {
 public:
  SimplifyClip()
      : NodePass({.name = "simplify_clip",
                  .summary = "Clip, Max, Min and Relu with known bounds become one Relu or Clip",
                  .target_ops = {"Clip", "Relu", "Max", "Min"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<ClampBounds> bounds = MatchClamp(graph, node);
    if (!bounds.has_value() || !IsUsable(*bounds)) return false;
    const size_t index = ClampedInput(graph, node);
    if (std::isinf(bounds->low) && std::isinf(bounds->high)) return Bypass(graph, node, index);

    const std::string input = node.input(index);
    Node* inner = graph.Producer(input);
    const std::optional<ClampBounds> first = inner == nullptr ? std::nullopt : MatchClamp(graph, *inner);
    if (!first.has_value() || !IsUsable(*first)) return WriteClamp(model, node, input, *bounds);
    if (bounds->low <= first->low && first->high <= bounds->high && CanReplaceTensor(graph, node.output(), input)) {
      Absorb(*inner, node);
      return Bypass(graph, node, index);
    }
    if (OnlyReader(graph, input) == nullptr) return WriteClamp(model, node, input, *bounds);
    const ClampBounds both{std::clamp(first->low, bounds->low, bounds->high),
                           std::clamp(first->high, bounds->low, bounds->high)};
    WriteClamp(model, node, inner->input(ClampedInput(graph, *inner)), both);
    Absorb(node, *inner);
    graph.RemoveNode(inner);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSimplifyClipPass() { return std::make_unique<SimplifyClip>(); }

}  // namespace preon
