// remove_bfloat16_casts: bfloat16 at the inputs alone; constants hold its values as floats.
//
// Before:      y = Conv(Cast(Cast(r, bfloat16), float), Cast(Cast(W, bfloat16), float)), r = Relu(...)
// After:       y = Conv(r, W_bf16)
// Conditions:  the first Cast has one reader, the second gives back the type of what the first reads. Behind graph
//              inputs both stay.
// Formula:     W_bf16 = W rounded to bfloat16, ties to even
// Why:         Quark's EnableVaimlBF16, for compilers that compute in bfloat16 anyway.
#include <algorithm>

#include "kernels/mini_float.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool IsCastTo(const Node& node, DataType type) {
  return node.Is("Cast") && node.Int("to", 0) == static_cast<int64_t>(type);
}

// The Cast behind `rounds` that undoes its type; null where others read the bfloat16 too.
Node* CastBack(const Graph& graph, const Node& rounds) {
  if (!IsCastTo(rounds, DataType::kBFloat16)) return nullptr;
  Node* reader = OnlyReader(graph, rounds.output());
  const DataType source = graph.TypeOf(rounds.input(0));
  const DataType wanted = source == DataType::kUndefined ? DataType::kFloat : source;
  return reader != nullptr && IsCastTo(*reader, wanted) ? reader : nullptr;
}

Tensor Rounded(const Tensor& values) {
  Tensor rounded = Tensor::Allocate(DataType::kFloat, values.shape());
  RoundToMiniFloat(kE8M7, Overflow::kInfinity, values.floats().data(), values.floats().size(),
                   rounded.Mutable<float>().data());
  return rounded;
}

class RemoveBFloat16Casts final : public QdqPass {
 public:
  std::string_view name() const override { return "remove_bfloat16_casts"; }
  std::vector<std::string_view> aliases() const override { return {"remove_bfloat16_cast"}; }
  std::string_view summary() const override {
    return "removes pairs of Casts to bfloat16 and back, except those of inputs; constants keep bfloat16's values";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    std::vector<Node*> rounding;
    for (const auto& node : graph.nodes()) {
      if (CastBack(graph, *node) != nullptr && !graph.IsInput(node->input(0))) rounding.push_back(node.get());
    }
    bool changed = false;
    for (Node* node : rounding) changed = Remove(graph, *node) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }

 private:
  static bool Remove(Graph& graph, Node& rounds) {
    Node* back = CastBack(graph, rounds);
    const std::string from = back->output();
    std::string to = rounds.input(0);
    const Tensor* constant = graph.Initializer(to);
    if (constant == nullptr && graph.Producer(to) == nullptr) return false;  // a sparse constant
    if (!CanReplaceTensor(graph, from, to)) return false;
    if (constant != nullptr) {
      if (constant->type() != DataType::kFloat) return false;
      const Tensor rounded = Rounded(*constant);
      to = graph.UniqueTensorName(to + "_bf16");
      graph.SetInitializer(to, rounded);
    }
    ReplaceTensor(graph, from, to);
    graph.RemoveNode(back);
    graph.RemoveNode(&rounds);
    return true;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeRemoveBFloat16CastsPass() { return std::make_unique<RemoveBFloat16Casts>(); }

}  // namespace preon
