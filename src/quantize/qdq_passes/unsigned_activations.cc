// unsigned_activations: codes of activations in int8 become uint8.
//
// Before:      y = DequantizeLinear(QuantizeLinear(x, s, z: int8), s, z)
// After:       y = DequantizeLinear(QuantizeLinear(x, s, z + 128: uint8), s, z + 128)
// Conditions:  only DequantizeLinear nodes read the codes; scales and zero points are constant; no weight of Conv,
//              ConvTranspose, Gemm or MatMul. Constant codes that a node reads as data follow: they need the same type.
// Formula:     s · (q - z) = s · ((q + 128) - (z + 128))
// Why:         the runtime's integer kernels for uint8 activations are up to four times as fast, and there are more of
//              them (docs/design/placement.md).
#include <algorithm>
#include <map>

#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int kShift = 128;

Tensor Shifted(const Tensor& codes) {
  Tensor shifted = Tensor::Allocate(DataType::kUInt8, codes.shape());
  std::ranges::transform(codes.As<int8_t>(), shifted.Mutable<uint8_t>().begin(),
                         [](int8_t code) { return static_cast<uint8_t>(code + kShift); });
  return shifted;
}

class Rewriter {
 public:
  explicit Rewriter(Graph& graph) : graph_(graph) {}

  bool Run() {
    bool changed = false;
    for (const auto& node : graph_.nodes()) {
      if (node->op_type == "QuantizeLinear") changed = Quantizer(*node) || changed;
      if (node->op_type == "DequantizeLinear") changed = Constant(*node) || changed;
    }
    return changed;
  }

 private:
  // The zero point of int8 codes: constant, or absent and so 0.
  bool HasInt8ZeroPoint(const Node& node) const {
    const Tensor* zero_point = graph_.Initializer(node.input(2));
    return zero_point != nullptr && zero_point->type() == DataType::kInt8;
  }

  bool IsWeight(const std::string& dequantized) const {
    return std::ranges::any_of(graph_.Uses(dequantized), [](const Use& use) {
      const std::vector<size_t> data = DataInputs(*use.node);
      return std::ranges::find(data, use.input) == data.end();
    });
  }

  std::vector<Node*> Dequantizers(const std::string& codes) const {
    std::vector<Node*> readers;
    if (graph_.IsOutput(codes)) return {};
    for (const Use& use : graph_.Uses(codes)) {
      if (use.captured || use.input != 0 || use.node->op_type != "DequantizeLinear" || !HasInt8ZeroPoint(*use.node))
        return {};
      readers.push_back(use.node);
    }
    return readers;
  }

  void ShiftZeroPoint(Node& node) {
    const std::string& old = node.input(2);
    auto [shifted, is_new] = shifted_.try_emplace(old);
    if (is_new) {
      shifted->second = graph_.UniqueTensorName(old + "_uint8");
      graph_.SetInitializer(shifted->second, Shifted(*graph_.Initializer(old)));
    }
    graph_.SetInput(&node, 2, shifted->second);
  }

  void SetCodeType(const std::string& codes) {
    const ValueInfo* known = graph_.Info(codes);
    if (known == nullptr || graph_.Initializer(codes) != nullptr) return;
    ValueInfo info = *known;
    info.type = DataType::kUInt8;
    graph_.SetInfo(codes, std::move(info));
  }

  bool Quantizer(Node& node) {
    if (!HasInt8ZeroPoint(node)) return false;
    const std::vector<Node*> readers = Dequantizers(node.output());
    const bool constant = graph_.Initializer(node.input(0)) != nullptr;
    if (readers.empty() ||
        (constant && std::ranges::any_of(readers, [&](const Node* reader) { return IsWeight(reader->output()); })))
      return false;
    node.attributes.erase("output_dtype");
    ShiftZeroPoint(node);
    for (Node* reader : readers) ShiftZeroPoint(*reader);
    SetCodeType(node.output());
    return true;
  }

  bool Constant(Node& node) {
    const Tensor* codes = graph_.Initializer(node.input(0));
    if (codes == nullptr || codes->type() != DataType::kInt8 || !HasInt8ZeroPoint(node) || IsWeight(node.output()))
      return false;
    const std::string shifted = graph_.UniqueTensorName(node.input(0) + "_uint8");
    graph_.SetInitializer(shifted, Shifted(*codes));
    graph_.SetInput(&node, 0, shifted);
    ShiftZeroPoint(node);
    return true;
  }

  Graph& graph_;
  std::map<std::string, std::string> shifted_;  // zero point -> the one of uint8
};

class UnsignedActivations final : public QdqPass {
 public:
  std::string_view name() const override { return "unsigned_activations"; }
  std::string_view summary() const override {
    return "int8 codes of activations become uint8: the same values, faster kernels";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    return Rewriter(model.graph).Run() ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeUnsignedActivationsPass() { return std::make_unique<UnsignedActivations>(); }

}  // namespace preon
