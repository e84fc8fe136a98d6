#include "diff/model_diff.h"

#include <algorithm>

#include "base/str_cat.h"
#include "diff/matched_nodes.h"
#include "ir/attribute_text.h"

namespace preon {
namespace {

std::string TypeText(const Graph& graph, const std::string& tensor) {
  const ValueInfo* info = graph.Info(tensor);
  if (info == nullptr) return "unknown";
  return StrCat(DataTypeName(info->type), info->shape ? ShapeToString(*info->shape) : "[…]");
}

bool SameAttribute(const AttributeValue& a, const AttributeValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* tensor = std::get_if<Tensor>(&a)) {
    const Tensor& other = std::get<Tensor>(b);
    return tensor->type() == other.type() && tensor->shape() == other.shape() &&
           std::ranges::equal(tensor->bytes(), other.bytes());
  }
  if (const auto* opaque = std::get_if<OpaqueAttribute>(&a))
    return opaque->serialized == std::get<OpaqueAttribute>(b).serialized;
  return AttributeText(a) == AttributeText(b);
}

// Of Conv, pools and Gemm: what goes without saying, so that one tool writes it down and another does not.
bool IsImplied(const Node& node, const std::string& name, const AttributeValue& value) {
  const auto all = [&](int64_t number) {
    const auto* list = std::get_if<std::vector<int64_t>>(&value);
    return list != nullptr && std::ranges::all_of(*list, [&](int64_t each) { return each == number; });
  };
  if (name == "dilations" || name == "strides") return all(1);
  if (name == "pads") return all(0);
  if (name == "auto_pad") return AttributeText(value) == "NOTSET";
  if (name == "group") return AttributeText(value) == "1";
  if (node.Is("Gemm") && (name == "alpha" || name == "beta")) return AttributeText(value) == "1";
  if (node.Is("Gemm")) return AttributeText(value) == "0";
  return name == "kernel_shape";
}

class Differ {
 public:
  Differ(const Model& a, const Model& b) : a_(a), b_(b), view_a_(a.graph), view_b_(b.graph), match_(view_a_, view_b_) {}

  ModelDiff Run() {
    Header();
    Nodes();
    Tensors();
    diff_.tensors.quantized_a = static_cast<int64_t>(view_a_.codes().size());
    diff_.tensors.quantized_b = static_cast<int64_t>(view_b_.codes().size());
    return std::move(diff_);
  }

 private:
  void Header() {
    std::map<std::string, std::pair<std::string, std::string>> opsets;
    for (const auto& [domain, version] : a_.opsets) opsets[domain].first = StrCat(version);
    for (const auto& [domain, version] : b_.opsets) opsets[domain].second = StrCat(version);
    for (const auto& [domain, versions] : opsets) {
      if (versions.first != versions.second)
        diff_.header.push_back({"opset of " + (domain.empty() ? "ai.onnx" : domain), versions.first, versions.second});
    }
    Signature("input", a_.graph.inputs(), b_.graph.inputs());
    Signature("output", a_.graph.outputs(), b_.graph.outputs());
  }

  void Signature(const char* kind, const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const auto text = [](const Graph& graph, const std::vector<std::string>& tensors, size_t index) {
      return index < tensors.size() ? StrCat(tensors[index], " ", TypeText(graph, tensors[index])) : "";
    };
    for (size_t index = 0; index < std::max(a.size(), b.size()); ++index) {
      const std::string of_a = text(a_.graph, a, index), of_b = text(b_.graph, b, index);
      if (of_a != of_b) diff_.header.push_back({StrCat("graph ", kind, " ", index), of_a, of_b});
    }
  }

  void Nodes() {
    for (const Node* node : view_a_.nodes()) {
      const Node* other = match_.InB(*node);
      if (other == nullptr) {
        diff_.nodes.only_in_a.push_back({node->name, node->op_type});
        continue;
      }
      std::vector<Change> changes = ChangesOf(*node, *other);
      if (changes.empty())
        ++diff_.nodes.same;
      else
        diff_.nodes.changed.push_back({{node->name, node->op_type}, {other->name, other->op_type}, std::move(changes)});
    }
    for (const Node* node : view_b_.nodes()) {
      if (!match_.HasInB(*node)) diff_.nodes.only_in_b.push_back({node->name, node->op_type});
    }
  }

  std::vector<Change> ChangesOf(const Node& a, const Node& b) const {
    std::vector<Change> changes;
    const auto full_name = [](const Node& node) {
      return node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
    };
    if (full_name(a) != full_name(b)) changes.push_back({"operator", full_name(a), full_name(b)});
    for (const auto& [name, value] : a.attributes) {
      const auto found = b.attributes.find(name);
      if (found == b.attributes.end() && !IsImplied(a, name, value))
        changes.push_back({"attribute " + name, AttributeText(value), ""});
      if (found != b.attributes.end() && !SameAttribute(value, found->second))
        changes.push_back({"attribute " + name, AttributeText(value), AttributeText(found->second)});
    }
    for (const auto& [name, value] : b.attributes) {
      if (!a.attributes.contains(name) && !IsImplied(b, name, value))
        changes.push_back({"attribute " + name, "", AttributeText(value)});
    }
    for (size_t index = 0; index < std::max(a.inputs().size(), b.inputs().size()); ++index) {
      const std::string &of_a = view_a_.NameOf(a.input(index)), &of_b = view_b_.NameOf(b.input(index));
      if (!match_.SameInput(of_a, of_b)) changes.push_back({StrCat("input ", index), of_a, of_b});
    }
    return changes;
  }

  void Tensors() {
    for (const auto& [of_a, of_b] : match_.tensors().by_a()) {
      const bool constant = view_a_.constants().contains(of_a) && view_b_.constants().contains(of_b);
      ChangedTensor changed{of_a, of_b, constant, view_a_.CodesOf(of_a), view_b_.CodesOf(of_b), {}, {}};
      if (constant) {
        changed.values = DiffConstants(view_a_, of_a, view_b_, of_b);
        const Tensor &value_a = *view_a_.constants().at(of_a), &value_b = *view_b_.constants().at(of_b);
        if (value_a.shape() != value_b.shape())
          changed.changes.push_back({"shape", ShapeToString(value_a.shape()), ShapeToString(value_b.shape())});
        if (value_a.type() != value_b.type() && changed.codes_a.empty() && changed.codes_b.empty())
          changed.changes.push_back(
              {"type", std::string(DataTypeName(value_a.type())), std::string(DataTypeName(value_b.type()))});
      }
      Add(std::move(changed));
    }
    OnlyIn(
        view_a_, [&](const std::string& name) { return match_.tensors().by_a().contains(name); }, &ChangedTensor::a,
        &ChangedTensor::codes_a);
    OnlyIn(
        view_b_, [&](const std::string& name) { return match_.tensors().HasB(name); }, &ChangedTensor::b,
        &ChangedTensor::codes_b);
  }

  template <typename Matched>
  void OnlyIn(const FloatView& view, const Matched& matched, std::string ChangedTensor::*name,
              std::vector<StoredCodes> ChangedTensor::*codes) {
    const auto add = [&](const std::string& tensor, bool constant) {
      if (matched(tensor)) return;
      ChangedTensor only{.constant = constant};
      only.*name = tensor;
      only.*codes = view.CodesOf(tensor);
      diff_.tensors.changed.push_back(std::move(only));
    };
    for (const auto& [tensor, value] : view.constants()) add(tensor, true);
    for (const auto& [tensor, all] : view.codes()) {
      if (!view.constants().contains(tensor)) add(tensor, false);
    }
  }

  void Add(ChangedTensor changed) {
    if (changed.codes_a == changed.codes_b && !changed.values && changed.changes.empty())
      diff_.tensors.same += changed.constant || !changed.codes_a.empty();
    else
      diff_.tensors.changed.push_back(std::move(changed));
  }

  const Model &a_, &b_;
  const FloatView view_a_, view_b_;
  const MatchedNodes match_;
  ModelDiff diff_;
};

}  // namespace

ModelDiff DiffModels(const Model& a, const Model& b) { return Differ(a, b).Run(); }

}  // namespace preon
