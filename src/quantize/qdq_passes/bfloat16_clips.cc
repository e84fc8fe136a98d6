// bfloat16_clips: a Clip in front of each bfloat16 quantizer of an activation.
//
// Before:      ExtendedQuantizeLinear(x, s, z: bfloat16)
// After:       ExtendedQuantizeLinear(Clip(x, -3.3895314e38, 3.3895314e38), s, z)
// Conditions:  x is float32 and no constant; no Clip writes x already.
// Formula:     the largest finite bfloat16 is (2 - 2^-7) * 2^127; infinity becomes it, NaN stays
// Why:         Quark's BF16WithClip: what exceeds the range would be infinite in bfloat16.
#include "formats/quark_operators.h"
#include "quantize/qdq_passes/bfloat16_nodes.h"
#include "quantize/qdq_passes/library_quantizers.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class BFloat16Clips final : public QdqPass {
 public:
  std::string_view name() const override { return "bfloat16_clips"; }
  std::vector<std::string_view> aliases() const override { return {"insert_clip_before_bfloat16_qdq"}; }
  std::string_view summary() const override {
    return "a Clip to the finite values of bfloat16 in front of each bfloat16 quantizer of an activation";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    std::vector<Node*> quantizers;
    for (const auto& node : graph.nodes()) {
      if (!IsBFloat16Quantizer(graph, *node) || graph.Initializer(node->input(0)) != nullptr) continue;
      const Node* producer = graph.Producer(node->input(0));
      const bool clipped = producer != nullptr && producer->Is("Clip");
      if (!clipped && graph.TypeOf(node->input(0)) != DataType::kFloat16) quantizers.push_back(node.get());
    }
    for (Node* node : quantizers) {
      const std::string x = node->input(0);
      graph.SetInput(node, 0, AddClipToBFloat16(graph, x, x));
    }
    return quantizers.empty() ? Effect::kUnchanged : Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeBFloat16ClipsPass() { return std::make_unique<BFloat16Clips>(); }

}  // namespace preon
