// dpu_clip: bounds of a Clip become codes of 8 bits.
//
// Before:      y = Clip(x, a, b)
// After:       y = Clip(x, a', b')
// Conditions:  the plan quantizes the node; its bounds are constants, or missing. Others stay, with a warning.
// Formula:     a' = min(max(rne(a), -128), 127), b' likewise; -128 and 127 where missing
// Why:         Quark's ConvertClipToDPUVersion.
#include <algorithm>
#include <cmath>

#include "passes/support/match.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr float kLowest = -128, kHighest = 127;

float Rounded(float bound) { return std::clamp(std::nearbyint(bound), kLowest, kHighest); }

// Below opset 11 they are attributes.
bool RoundAttributes(Node& node) {
  bool changed = false;
  for (const auto& [name, missing] : {std::pair("min", kLowest), std::pair("max", kHighest)}) {
    const float rounded = Rounded(node.Float(name, missing));
    changed = changed || !node.Has(name) || node.Float(name, missing) != rounded;
    node.attributes[name] = rounded;
  }
  return changed;
}

// Bound `input`; nullopt where it is computed.
std::optional<float> Bound(const Graph& graph, const Node& node, size_t input, float missing) {
  return node.input(input).empty() ? missing : ConstantScalar(graph, node.input(input));
}

class DpuClip final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_clip"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertClipToDPUVersion"}; }
  std::string_view summary() const override {
    return "bounds of Clip are rounded and limited to -128 and 127, as on the DPU";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.clip; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    constexpr int64_t kBoundsAreInputs = 11;
    const QuantizedNodes quantized(plan);
    Graph& graph = model.graph;
    Effect effect = Effect::kUnchanged;
    for (const auto& node : graph.nodes()) {
      if (!node->Is("Clip") || !quantized.Contains(*node)) continue;
      if (model.opset() < kBoundsAreInputs) {
        if (RoundAttributes(*node)) effect = Effect::kChanged;
        continue;
      }
      const std::optional<float> lowest = Bound(graph, *node, 1, kLowest), highest = Bound(graph, *node, 2, kHighest);
      if (!lowest || !highest) {
        warnings.push_back(
            StrCat("ConvertClipToDPUVersion: node '", node->name, "' stays as it is: its bounds are not constant"));
        continue;
      }
      for (const auto& [input, bound, ending] :
           {std::tuple(size_t{1}, *lowest, "_dpu_min"), std::tuple(size_t{2}, *highest, "_dpu_max")}) {
        if (!node->input(input).empty() && Rounded(bound) == bound) continue;
        SetConstantInput(graph, *node, input, Tensor::ScalarFloat(Rounded(bound)), node->name + ending);
        effect = Effect::kChanged;
      }
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuClipPass() { return std::make_unique<DpuClip>(); }

}  // namespace preon
