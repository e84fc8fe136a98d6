#include "quantize/read/float_view.h"

#include <algorithm>

#include "ir/constant_value.h"

namespace preon {
namespace {

constexpr std::string_view kCodesSuffix = "_quantized";

bool IsParameter(const Graph& graph, const std::string& tensor) {
  const std::vector<Use> uses = graph.Uses(tensor);
  return !uses.empty() && std::ranges::all_of(uses, [](const Use& use) {
    return !use.captured && use.input > 0 && (QuantizesTensor(*use.node) || DequantizesTensor(*use.node));
  });
}

}  // namespace

std::string WithoutCodesSuffix(const std::string& codes) {
  return codes.ends_with(kCodesSuffix) ? codes.substr(0, codes.size() - kCodesSuffix.size()) : codes;
}

FloatView::FloatView(const Graph& graph) : graph_(graph) {
  NameOutputs();
  for (const auto& node : graph.nodes()) {
    if (QuantizesTensor(*node) || DequantizesTensor(*node) || RoundsToBlocks(*node)) {
      Name(*node);
    } else if (ConstantValue(graph, node->FirstOutput()) == nullptr) {
      nodes_.push_back(node.get());
      for (const std::string& output : node->outputs()) producers_[NameOf(output)] = node.get();
      continue;
    }
    const Tensor* constant = ConstantValue(graph, node->FirstOutput());
    if (constant != nullptr && !IsParameter(graph, node->output())) constants_[NameOf(node->output())] = constant;
  }
  for (const auto& [name, value] : graph.initializers()) {
    if (!IsParameter(graph, name)) constants_[NameOf(name)] = &value;
  }
}

// A tool that quantizes a graph output gives its name to what the last node writes.
void FloatView::NameOutputs() {
  for (const std::string& output : graph_.outputs()) {
    std::string tensor = output;
    while (const Node* node = graph_.Producer(tensor)) {
      if (!QuantizesTensor(*node) && !DequantizesTensor(*node) && !RoundsToBlocks(*node)) break;
      tensor = node->input(0);
    }
    if (tensor != output && graph_.Producer(tensor) != nullptr) names_[tensor] = output;
  }
}

void FloatView::Name(const Node& node) {
  const std::string& from = node.input(0);
  if (ConstantValue(graph_, from) != nullptr && !names_.contains(from))
    names_[from] = DequantizesTensor(node) ? WithoutCodesSuffix(from) : from;
  const std::string name = NameOf(from);
  names_[node.output()] = name;
  AddCodes(node, name);
}

void FloatView::AddCodes(const Node& node, const std::string& name) {
  // What a DequantizeLinear reads, a QuantizeLinear has told of already.
  const Node* before = graph_.Producer(node.input(0));
  if (DequantizesTensor(node) && before != nullptr && QuantizesTensor(*before)) return;
  StoredCodes codes = CodesAt(graph_, node);
  std::vector<StoredCodes>& all = codes_[name];
  if (std::ranges::find(all, codes) == all.end()) all.push_back(std::move(codes));
}

const std::string& FloatView::NameOf(const std::string& tensor) const {
  const auto found = names_.find(tensor);
  return found == names_.end() ? tensor : found->second;
}

const Node* FloatView::ProducerOf(const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? nullptr : found->second;
}

const std::vector<StoredCodes>& FloatView::CodesOf(const std::string& name) const {
  static const std::vector<StoredCodes> kNone;
  const auto found = codes_.find(name);
  return found == codes_.end() ? kNone : found->second;
}

Tensor FloatView::ValuesOf(const std::string& constant) const {
  const Tensor& stored = *constants_.at(constant);
  const auto found = codes_.find(constant);
  if (stored.type() == DataType::kFloat || found == codes_.end()) return stored;
  return DecodedValues(stored, found->second.front());
}

}  // namespace preon
