#include <algorithm>

#include "ir/graph.h"

namespace preon {
namespace {

const std::string kNoTensor;

template <typename T>
const T* FindAttribute(const Node& node, std::string_view attribute) {
  const auto found = node.attributes.find(std::string(attribute));
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

template <typename T>
T Get(const Node& node, std::string_view attribute, T fallback) {
  const T* value = FindAttribute<T>(node, attribute);
  return value == nullptr ? std::move(fallback) : *value;
}

}  // namespace

const std::string& Node::input(size_t index) const { return index < inputs_.size() ? inputs_[index] : kNoTensor; }
const std::string& Node::output(size_t index) const { return index < outputs_.size() ? outputs_[index] : kNoTensor; }

const std::string& Node::FirstOutput() const {
  const auto given = std::ranges::find_if(outputs_, [](const std::string& output) { return !output.empty(); });
  return given == outputs_.end() ? kNoTensor : *given;
}

std::vector<std::string> Node::Captures() const {
  std::vector<std::string> captures;
  for (const auto& attribute : attributes) {
    const auto* opaque = std::get_if<OpaqueAttribute>(&attribute.second);
    if (opaque != nullptr) captures.insert(captures.end(), opaque->captures.begin(), opaque->captures.end());
  }
  std::sort(captures.begin(), captures.end());
  captures.erase(std::unique(captures.begin(), captures.end()), captures.end());
  return captures;
}

bool Node::HasSubgraph() const {
  return std::any_of(attributes.begin(), attributes.end(), [](const auto& attribute) {
    const auto* opaque = std::get_if<OpaqueAttribute>(&attribute.second);
    return opaque != nullptr && opaque->is_graph;
  });
}

bool Node::IsFlatIf() const {
  if (!Is("If")) return false;
  const auto* branch = FindAttribute<OpaqueAttribute>(*this, kIfBranches[0]);
  return branch != nullptr && !branch->is_graph;
}

int64_t Node::Int(std::string_view attribute, int64_t fallback) const { return Get(*this, attribute, fallback); }
float Node::Float(std::string_view attribute, float fallback) const { return Get(*this, attribute, fallback); }

std::string Node::String(std::string_view attribute, std::string_view fallback) const {
  return Get(*this, attribute, std::string(fallback));
}

std::vector<int64_t> Node::Ints(std::string_view attribute) const {
  return Get(*this, attribute, std::vector<int64_t>());
}

int64_t Model::opset() const {
  const auto found = opsets.find("");
  return found == opsets.end() ? 0 : found->second;
}

Model Model::ForPart() const {
  Model part;
  part.ir_version = ir_version;
  part.opsets = opsets;
  part.opaque_functions = opaque_functions;
  part.function_ops = function_ops;
  part.source_path = source_path;
  return part;
}

}  // namespace preon
