// pairs_behind_moves: an operator that only moves int8 values has pairs on both sides.
//
// Before:      y = MaxPool(DequantizeLinear(c, s, z)), read in float
// After:       DequantizeLinear(QuantizeLinear(y, s, z), s, z) is read
// Conditions:  opset 21 or later; codes in int8, one constant scale and zero point; MaxPool, Reshape, Slice, Squeeze,
//              Transpose, Unsqueeze.
// Formula:     -
// Why:         ONNX Runtime (1.30) adds these pairs by itself, and does not load the model where it then turns int8
//              into uint8: from opset 21 on they carry the type of their codes as an attribute, which stays int8. The
//              values are the same.
#include <algorithm>
#include <array>

#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool Moves(const Node& node) {
  constexpr auto kOnlyMove =
      std::to_array<std::string_view>({"MaxPool", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"});
  return node.domain.empty() && std::ranges::count(kOnlyMove, node.op_type) > 0;
}

bool HasOneInt8Scale(const Graph& graph, const Node& node) {
  const Tensor *scale = graph.Initializer(node.input(1)), *zero_point = graph.Initializer(node.input(2));
  return scale != nullptr && scale->count() == 1 && zero_point != nullptr && zero_point->type() == DataType::kInt8;
}

// Pairs behind the moves that read this DequantizeLinear; the new DequantizeLinear nodes are added to `found`.
void AddPairsBehind(Graph& graph, const Node& dequantize, std::vector<const Node*>& found) {
  for (const Use& use : graph.Uses(dequantize.output())) {
    if (use.captured || use.input != 0 || !Moves(*use.node)) continue;
    const std::string moved = use.node->output();
    const std::vector<Use> readers = graph.Uses(moved);
    if (graph.IsOutput(moved)) {
      if (!readers.empty()) continue;
      const std::string inner = graph.UniqueTensorName(moved + "_moved");
      graph.RenameOutput(moved, inner);
      AddPair(graph, inner, dequantize.input(1), dequantize.input(2), moved);
      continue;
    }
    const auto is_float = [](const Use& reader) {
      return !reader.captured && reader.node->op_type != "QuantizeLinear";
    };
    if (std::ranges::none_of(readers, is_float)) continue;
    const std::string result = graph.UniqueTensorName(moved + "_DequantizeLinear_Output");
    found.push_back(AddPair(graph, moved, dequantize.input(1), dequantize.input(2), result));
    for (const Use& reader : readers)
      if (is_float(reader)) graph.SetInput(reader.node, reader.input, result);
  }
}

class PairsBehindMoves final : public QdqPass {
 public:
  std::string_view name() const override { return "pairs_behind_moves"; }
  std::string_view summary() const override {
    return "from opset 21 on, operators that only move int8 values get a pair after them, so that the runtime loads "
           "the "
           "model";
  }
  bool WantedBy(const QuantPlan&) const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    if (model.opset() < 21) return Effect::kUnchanged;
    std::vector<const Node*> found;
    for (const auto& node : graph.nodes())
      if (node->Is("DequantizeLinear") && graph.Producer(node->input(0)) != nullptr && HasOneInt8Scale(graph, *node))
        found.push_back(node.get());
    const size_t before = graph.nodes().size();
    for (size_t at = 0; at < found.size(); ++at) AddPairsBehind(graph, *found[at], found);
    return graph.nodes().size() > before ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakePairsBehindMovesPass() { return std::make_unique<PairsBehindMoves>(); }

}  // namespace preon
