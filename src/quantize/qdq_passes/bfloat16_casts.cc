// bfloat16_casts: bfloat16 pairs of the operator library become Casts.
//
// Before:      y = ExtendedDequantizeLinear(ExtendedQuantizeLinear(x, s, z: bfloat16), s, z)
// After:       y = Cast(Cast(x * 1/s, bfloat16), float) * s      without the products where s is 1
// Conditions:  constant scales in float32, zero points 0; scales per channel: of a tensor whose rank is known. Others
//              stay, with a warning.
// Formula:     the same, but that a division is a product with the reciprocal
// Why:         Quark's BF16QDQToCast: the runtime executes Casts without the library.
#include <algorithm>
#include <cstring>

#include "quantize/qdq_passes/bfloat16_nodes.h"
#include "quantize/qdq_passes/library_quantizers.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

struct Scales {
  bool are_one = false;
  Tensor values;  ///< as a product takes them
};

// Why the node can't become a Cast, or its scales.
Result<Scales> ScalesOf(const Graph& graph, const Node& node) {
  const auto stays = [&](std::string_view reason) {
    return Error(ErrorId::kNotYetSupported, node.name, ": stays ", node.op_type, ": ", reason);
  };
  const Tensor* zero_point = graph.Initializer(node.input(2));
  const auto codes = zero_point->As<uint16_t>();
  if (std::ranges::any_of(codes, [](uint16_t code) { return (code & 0x7fff) != 0; }))
    return stays("its zero point is not 0");
  const Tensor* scale = graph.Initializer(node.input(1));
  if (scale == nullptr || scale->type() != DataType::kFloat) return stays("its scale is no constant in float32");
  Scales scales{std::ranges::all_of(scale->floats(), [](float value) { return value == 1; }), *scale};
  if (scales.are_one || scale->count() == 1) {
    scales.values = scale->Reshaped({});
    return scales;
  }
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  const std::optional<Shape> known = shape ? shape : graph.ShapeOf(node.output());
  if (!known) return stays("it has scales per channel, and the number of dimensions is not known");
  const auto rank = static_cast<int64_t>(known->size());
  const int64_t given = node.Int("axis", 0), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) return stays(StrCat("its axis ", given, " is none of ", rank, " dimensions"));
  Shape along(static_cast<size_t>(rank - axis), 1);
  along[0] = scale->count();
  scales.values = scale->Reshaped(along);
  return scales;
}

Tensor Reciprocals(const Tensor& scales) {
  Tensor inverse = Tensor::Allocate(DataType::kFloat, scales.shape());
  std::ranges::transform(scales.floats(), inverse.Mutable<float>().begin(), [](float scale) { return 1 / scale; });
  return inverse;
}

class BFloat16Casts final : public QdqPass {
 public:
  std::string_view name() const override { return "bfloat16_casts"; }
  std::vector<std::string_view> aliases() const override { return {"replace_bfloat16_qdq_with_cast"}; }
  std::string_view summary() const override { return "bfloat16 pairs of com.amd.quark become Cast nodes"; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>& warnings) const override {
    Graph& graph = model.graph;
    std::vector<Node*> nodes;
    for (const auto& node : graph.nodes()) {
      if (IsBFloat16Quantizer(graph, *node) || IsBFloat16Dequantizer(graph, *node)) nodes.push_back(node.get());
    }
    // A pair becomes Casts as a whole: a library's operator reads no bfloat16 of a Cast.
    std::erase_if(nodes, [&](Node* node) { return !PairCanChange(graph, *node, warnings); });
    for (Node* node : nodes) {
      const std::string x = node->input(0), y = node->output(), name = node->name;
      const Scales scales = *ScalesOf(graph, *node);
      const std::optional<Tensor> factor = scales.are_one ? std::nullopt : std::optional(scales.values);
      if (IsBFloat16Quantizer(graph, *node))
        AddCastToBFloat16(graph, x, name, factor ? std::optional(Reciprocals(*factor)) : std::nullopt, y);
      else
        AddCastFromBFloat16(graph, x, name, factor, y);
      graph.RemoveNode(node);
    }
    return nodes.empty() ? Effect::kUnchanged : Effect::kChanged;
  }

 private:
  static bool PairCanChange(const Graph& graph, const Node& node, std::vector<std::string>& warnings) {
    const bool quantizes = IsBFloat16Quantizer(graph, node);
    const Node* quantizer = quantizes ? &node : graph.Producer(node.input(0));
    std::vector<const Node*> pair{&node};
    if (quantizer != nullptr && IsBFloat16Quantizer(graph, *quantizer)) {
      pair = {quantizer};
      for (const Use& use : graph.Uses(quantizer->output())) pair.push_back(use.node);
    }
    for (const Node* each : pair) {
      if (!IsBFloat16Quantizer(graph, *each) && !IsBFloat16Dequantizer(graph, *each)) continue;
      const Result<Scales> scales = ScalesOf(graph, *each);
      if (scales.ok()) continue;
      if (each == &node) warnings.push_back(std::string(scales.status().message()));
      return false;
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeBFloat16CastsPass() { return std::make_unique<BFloat16Casts>(); }

}  // namespace preon
