#include "ir/same_graph.h"

#include <algorithm>

namespace preon {
namespace {

bool Same(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() == DataType::kString) return a.strings() == b.strings();
  return a.bytes().data() == b.bytes().data() && a.bytes().size() == b.bytes().size();
}

bool Same(const OpaqueAttribute& a, const OpaqueAttribute& b) { return a.serialized == b.serialized; }

template <typename T>
bool Same(const T& a, const T& b) {
  return a == b;
}

bool SameValue(const AttributeValue& a, const AttributeValue& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& value) { return Same(value, std::get<std::decay_t<decltype(value)>>(b)); }, a);
}

bool SameNode(const Node& a, const Node& b) {
  return a.op_type == b.op_type && a.domain == b.domain && a.inputs() == b.inputs() && a.outputs() == b.outputs() &&
         a.residue == b.residue &&
         std::ranges::equal(a.attributes, b.attributes, [](const auto& left, const auto& right) {
           return left.first == right.first && SameValue(left.second, right.second);
         });
}

}  // namespace

bool SameGraph(const Graph& a, const Graph& b) {
  return a.inputs() == b.inputs() && a.outputs() == b.outputs() &&
         std::ranges::equal(a.nodes(), b.nodes(),
                            [](const auto& left, const auto& right) { return SameNode(*left, *right); }) &&
         std::ranges::equal(a.initializers(), b.initializers(), [](const auto& left, const auto& right) {
           return left.first == right.first && Same(left.second, right.second);
         });
}

}  // namespace preon
