// split_gemm: a Gemm becomes the MatMul and Add that it stands for.
//
// Before:      y = Gemm(x, W, b)
// After:       t = MatMul(x, W') (NAME_MatMul); y = Add(t, b) (NAME_Add)     W' = W, or its transpose where transB is
// set Conditions:  W: a constant float matrix; transA = 0, alpha = beta = 1; the user has not excluded the node.
// Without a
//              bias the MatMul writes y. A weight that only transposed readers have keeps its name.
// Formula:     -
// Why:         DynamicQuantizeMatMul exists for MatMul alone; the names are those of other tools.
#include <map>

#include "passes/passes.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

bool Splits(const Graph& graph, const Node& node) {
  const Tensor* weight = graph.Initializer(node.input(1));
  return node.Is("Gemm") && weight != nullptr && weight->type() == DataType::kFloat && weight->shape().size() == 2 &&
         node.Int("transA", 0) == 0 && node.Float("alpha", 1) == 1 && node.Float("beta", 1) == 1;
}

// The weight as MatMul reads it. Nodes that share one share the transposed one too.
std::string WeightOf(Graph& graph, const Node& gemm, std::map<std::string, std::string>& transposed) {
  const std::string& weight = gemm.input(1);
  if (gemm.Int("transB", 0) == 0) return weight;
  const auto [entry, fresh] = transposed.try_emplace(weight);
  if (fresh) {
    entry->second = graph.UniqueTensorName(weight + "_Transposed");
    graph.SetInitializer(entry->second, TransposedMatrix(*graph.Initializer(weight)));
  }
  return entry->second;
}

void SplitIntoMatMulAndAdd(Graph& graph, Node* gemm, const std::string& weight) {
  const std::string y = gemm->output(), bias = gemm->input(2);
  const std::string product = bias.empty() ? y : graph.UniqueTensorName(y + "_MatMul");
  Node* matmul = graph.AddNode("MatMul", {gemm->input(0), weight}, {product}, gemm->name + "_MatMul", "", gemm);
  if (const ValueInfo* info = graph.Info(y); info != nullptr && product != y) graph.SetInfo(product, *info);
  matmul->origins = gemm->origins;
  matmul->home = gemm->home;
  if (!bias.empty()) {
    Node* add = graph.AddNode("Add", {product, bias}, {y}, gemm->name + "_Add", "", gemm);
    add->origins = gemm->origins;
    add->home = gemm->home;
  }
  graph.RemoveNode(gemm);
}

class SplitGemm final : public Pass {
 public:
  std::string_view name() const override { return "split_gemm"; }
  std::string_view summary() const override { return "Gemm with a constant weight becomes MatMul and Add"; }
  bool on_by_default() const override { return false; }
  PassPhase phase() const override { return PassPhase::kLast; }
  bool works_in_bodies() const override { return true; }

  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    Graph& graph = model.graph;
    std::vector<Node*> gemms;
    for (const auto& node : graph.nodes()) {
      if (Splits(graph, *node) && !(env.excluded && env.excluded(*node))) gemms.push_back(node.get());
    }
    std::map<std::string, std::string> transposed;
    for (Node* gemm : gemms) SplitIntoMatMulAndAdd(graph, gemm, WeightOf(graph, *gemm, transposed));
    for (const auto& [weight, copy] : transposed) {
      if (graph.UseCount(weight) > 0) continue;
      graph.SetInitializer(weight, *graph.Initializer(copy));
      graph.ReplaceUses(copy, weight);
    }
    return gemms.empty() ? Effect::kUnchanged : Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSplitGemmPass() { return std::make_unique<SplitGemm>(); }

}  // namespace preon
