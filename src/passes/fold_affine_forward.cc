// fold_affine_forward: a factor or a shift in front of convolutions goes into their weights.
//
// Before:      y = Conv(x * s, W, b);   y = Conv(x + t, W, b);   y = Conv(x * s + t, W, b)
// After:       y = Conv(x, W * s, b);   y = Conv(x, W, b');      y = Conv(x + t / s, W * s, b)
// Conditions:  s and t constants of one element, s not 0; Convs with constant weights, and nothing else, read the
//              result, which is no graph output. A shift all the way only where no Conv pads: zeros have no shift.
// Formula:     b'[o] = b[o] + t * sum(W[o, …])
// Why:         learnable affine blocks (PP-OCR v4) stand behind activations, where nothing else takes them. Factors per
//              channel stay: they would make weights of one output more unequal.
#include <algorithm>
#include <cmath>

#include "ir/constant_value.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// The Convs that read the tensor; empty where something else does.
std::vector<Node*> OnlyConvs(const Graph& graph, const std::string& tensor) {
  if (graph.IsOutput(tensor) || graph.HasCapturedUse(tensor)) return {};
  std::vector<Node*> convs;
  for (const Use& use : graph.Uses(tensor)) {
    const Node& conv = *use.node;
    const bool takes = conv.Is("Conv") && use.input == 0 && IsFloatConstant(graph, conv.input(1)) &&
                       (conv.input(2).empty() || IsFloatConstant(graph, conv.input(2)));
    if (!takes) return {};
    convs.push_back(use.node);
  }
  return convs;
}

bool Pads(const Node& conv) {
  const std::string auto_pad = conv.String("auto_pad", "NOTSET");
  return (auto_pad != "NOTSET" && auto_pad != "VALID") ||
         std::ranges::any_of(conv.Ints("pads"), [](int64_t pad) { return pad != 0; });
}

// A constant that leaves the rank of the other input as it is.
std::optional<ScalarOperand> ScalarOf(const Graph& graph, const Node& node) {
  const std::optional<ScalarOperand> scalar = ScalarOperandOf(graph, node);
  if (!scalar || !std::isfinite(scalar->value)) return std::nullopt;
  const std::optional<Shape> before = graph.ShapeOf(node.input(scalar->data)), behind = graph.ShapeOf(node.output());
  return before && behind && before->size() == behind->size() ? scalar : std::nullopt;
}

void ScaleWeights(Graph& graph, const std::vector<Node*>& convs, double factor) {
  for (Node* conv : convs) {
    const Tensor& weight = *Constant(graph, conv->input(1));
    std::vector<float> values(weight.floats().begin(), weight.floats().end());
    for (float& value : values) value = static_cast<float>(value * factor);
    SetConstantInput(graph, *conv, 1, Tensor::FromFloats(weight.shape(), values), conv->name + "_weight");
  }
}

void ShiftBiases(Graph& graph, const std::vector<Node*>& convs, double shift) {
  for (Node* conv : convs) {
    const std::span<const float> weight = Constant(graph, conv->input(1))->floats();
    const int64_t outputs = Constant(graph, conv->input(1))->shape().front();
    std::vector<float> bias(static_cast<size_t>(outputs), 0.0f);
    if (!conv->input(2).empty()) std::ranges::copy(Constant(graph, conv->input(2))->floats(), bias.begin());
    const size_t each = weight.size() / bias.size();
    for (size_t output = 0; output < bias.size(); ++output) {
      double sum = 0;
      for (const float value : weight.subspan(output * each, each)) sum += value;
      bias[output] = static_cast<float>(bias[output] + shift * sum);
    }
    SetConstantInput(graph, *conv, 2, Tensor::FromFloats({outputs}, bias), conv->name + "_bias");
  }
}

class FoldAffineForward final : public NodePass {
 public:
  FoldAffineForward()
      : NodePass({.name = "fold_affine_forward",
                  .summary = "a constant factor or shift in front of convolutions goes into their weights",
                  .target_ops = {"Add", "Mul"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<ScalarOperand> scalar = ScalarOf(graph, node);
    if (!scalar || !CanReplaceTensor(graph, node.output(), node.input(scalar->data))) return false;
    std::vector<Node*> convs = OnlyConvs(graph, node.output());
    if (node.Is("Add")) {
      if (convs.empty() || std::ranges::any_of(convs, [](const Node* conv) { return Pads(*conv); })) return false;
      ShiftBiases(graph, convs, scalar->value);
    } else if (!FoldFactor(graph, node, scalar->value, convs)) {
      return false;
    }
    return Bypass(graph, node, scalar->data);
  }

  // Into the Convs that read the product, directly or behind a shift, which is divided.
  static bool FoldFactor(Graph& graph, const Node& node, double factor, std::vector<Node*> convs) {
    if (factor == 0) return false;
    if (convs.empty()) {
      Node* const add = OnlyReader(graph, node.output());
      const std::optional<ScalarOperand> shift =
          add == nullptr || !add->Is("Add") ? std::nullopt : ScalarOf(graph, *add);
      if (!shift || !std::isfinite(double{shift->value} / factor)) return false;
      convs = OnlyConvs(graph, add->output());
      if (convs.empty()) return false;
      const Shape shape = Constant(graph, add->input(1 - shift->data))->shape();
      const auto divided = static_cast<float>(double{shift->value} / factor);
      SetConstantInput(graph, *add, 1 - shift->data, Tensor::FromFloats(shape, {&divided, 1}), add->name + "_shift");
    }
    ScaleWeights(graph, convs, factor);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldAffineForwardPass() { return std::make_unique<FoldAffineForward>(); }

}  // namespace preon
