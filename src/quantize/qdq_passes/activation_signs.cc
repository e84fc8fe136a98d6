#include "quantize/qdq_passes/activation_signs.h"

#include <algorithm>
#include <map>

#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// All codes move by 128, which flips the highest bit in either direction.
constexpr auto kHighestBit = std::byte{0x80};

Tensor Shifted(const Tensor& codes, DataType type) {
  Tensor shifted = Tensor::Allocate(type, codes.shape());
  std::ranges::transform(codes.bytes(), shifted.MutableBytes().begin(),
                         [](std::byte code) { return code ^ kHighestBit; });
  return shifted;
}

class Rewriter {
 public:
  Rewriter(Graph& graph, DataType from, DataType to) : graph_(graph), from_(from), to_(to) {}

  bool Run() {
    bool changed = false;
    for (const auto& node : graph_.nodes()) {
      if (node->op_type == "QuantizeLinear") changed = Quantizer(*node) || changed;
      if (node->op_type == "DequantizeLinear") changed = Constant(*node) || changed;
    }
    return changed;
  }

 private:
  // Its codes have a constant zero point, and are to be changed.
  bool IsOld(const Node& node) const {
    const Tensor* zero_point = graph_.Initializer(node.input(2));
    return zero_point != nullptr && zero_point->type() == from_;
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
      if (use.captured || use.input != 0 || use.node->op_type != "DequantizeLinear" || !IsOld(*use.node)) return {};
      readers.push_back(use.node);
    }
    return readers;
  }

  std::string NewName(const std::string& old) const {
    return graph_.UniqueTensorName(StrCat(old, "_", DataTypeName(to_)));
  }

  void ShiftZeroPoint(Node& node) {
    const std::string& old = node.input(2);
    auto [shifted, is_new] = shifted_.try_emplace(old);
    if (is_new) {
      shifted->second = NewName(old);
      graph_.SetInitializer(shifted->second, Shifted(*graph_.Initializer(old), to_));
    }
    graph_.SetInput(&node, 2, shifted->second);
  }

  void SetCodeType(const std::string& codes) {
    const ValueInfo* known = graph_.Info(codes);
    if (known == nullptr || graph_.Initializer(codes) != nullptr) return;
    ValueInfo info = *known;
    info.type = to_;
    graph_.SetInfo(codes, std::move(info));
  }

  bool Quantizer(Node& node) {
    if (!IsOld(node)) return false;
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
    if (codes == nullptr || codes->type() != from_ || !IsOld(node) || IsWeight(node.output())) return false;
    const std::string shifted = NewName(node.input(0));
    graph_.SetInitializer(shifted, Shifted(*codes, to_));
    graph_.SetInput(&node, 0, shifted);
    ShiftZeroPoint(node);
    return true;
  }

  Graph& graph_;
  const DataType from_, to_;
  std::map<std::string, std::string> shifted_;  // zero point -> the one of the new type
};

}  // namespace

bool ChangeActivationSigns(Graph& graph, DataType from, DataType to) { return Rewriter(graph, from, to).Run(); }

}  // namespace preon
