#include "ir/flatten_if.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/status.h"
#include "ir/graph.h"
#include "ir/node_proto.h"

namespace preon {
namespace {

using Names = std::map<std::string, std::string>;  // old -> new

bool IsPlainBranch(const onnx::AttributeProto& attribute, int outputs) {
  if (attribute.type() != onnx::AttributeProto::GRAPH || !attribute.has_g() || attribute.has_ref_attr_name())
    return false;
  const onnx::GraphProto& body = attribute.g();
  const auto is_tensor = [](const onnx::ValueInfoProto& output) {
    return !output.name().empty() && (!output.has_type() || output.type().has_tensor_type());
  };
  return body.input_size() == 0 && body.output_size() == outputs && body.sparse_initializer_size() == 0 &&
         body.quantization_annotation_size() == 0 && std::all_of(body.output().begin(), body.output().end(), is_tensor);
}

bool IsPlainIf(const onnx::NodeProto& node) {
  if (node.op_type() != "If" || !(node.domain().empty() || node.domain() == "ai.onnx")) return false;
  if (node.input_size() != 1 || node.input(0).empty() || node.output_size() == 0 || node.attribute_size() != 2)
    return false;
  return node.attribute(0).name() != node.attribute(1).name() &&
         std::all_of(node.attribute().begin(), node.attribute().end(), [&](const onnx::AttributeProto& attribute) {
           const auto named = [&](const char* branch) { return attribute.name() == branch; };
           return std::any_of(std::begin(kIfBranches), std::end(kIfBranches), named) &&
                  IsPlainBranch(attribute, node.output_size());
         });
}

onnx::GraphProto* BranchOf(onnx::NodeProto* node, size_t branch) {
  const bool first = node->attribute(0).name() == kIfBranches[branch];
  return node->mutable_attribute(first ? 0 : 1)->mutable_g();
}

// Calls visit(name) for what `graph` itself defines.
template <typename Visit>
void ForEachDefinition(const onnx::GraphProto& graph, const Visit& visit) {
  for (const auto& input : graph.input()) visit(input.name());
  for (const auto& tensor : graph.initializer()) visit(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) visit(tensor.values().name());
  for (const auto& node : graph.node()) {
    for (const std::string& tensor : node.output()) visit(tensor);
  }
}

// Definitions and reads in `graph` and the graphs inside it; there, a local definition hides the one outside.
void Rename(const Names& names, onnx::GraphProto* graph) {
  const auto rename = [&](std::string* name) {
    const auto found = names.find(*name);
    if (found != names.end()) *name = found->second;
  };
  const auto rename_inside = [&](onnx::GraphProto* inner) {
    Names visible = names;
    ForEachDefinition(*inner, [&](const std::string& name) { visible.erase(name); });
    if (!visible.empty()) Rename(visible, inner);
  };
  for (auto& tensor : *graph->mutable_initializer()) rename(tensor.mutable_name());
  for (auto& node : *graph->mutable_node()) {
    std::for_each(node.mutable_input()->begin(), node.mutable_input()->end(),
                  [&](std::string& name) { rename(&name); });
    std::for_each(node.mutable_output()->begin(), node.mutable_output()->end(),
                  [&](std::string& name) { rename(&name); });
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename_inside(attribute.mutable_g());
      for (auto& inner : *attribute.mutable_graphs()) rename_inside(&inner);
    }
  }
  for (auto& output : *graph->mutable_output()) rename(output.mutable_name());
  for (auto& value : *graph->mutable_value_info()) rename(value.mutable_name());
}

class Flattener {
 public:
  std::vector<FlatNode> Run(onnx::GraphProto* graph) {
    if (std::none_of(graph->node().begin(), graph->node().end(), IsPlainIf)) return Flatten(graph);
    ForEachDefinition(*graph, [&](const std::string& name) { taken_.insert(name); });
    for (const auto& output : graph->output()) taken_.insert(output.name());
    CollectNames(*graph, false);
    return Flatten(graph);
  }

 private:
  // A name that an opaque body has is taken: it would hide the tensor that is moved outwards under it.
  void CollectNames(const onnx::GraphProto& graph, bool opaque) {
    ForEachDefinition(graph, [&](const std::string& name) {
      known_.insert(name);
      if (opaque) taken_.insert(name);
    });
    for (const auto& node : graph.node()) {
      const bool inner_opaque = opaque || !IsPlainIf(node);
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) CollectNames(attribute.g(), inner_opaque);
        for (const auto& inner : attribute.graphs()) CollectNames(inner, inner_opaque);
      }
    }
  }

  std::vector<FlatNode> Flatten(onnx::GraphProto* graph) {
    if (std::none_of(graph->node().begin(), graph->node().end(), IsPlainIf)) {
      return std::vector<FlatNode>(static_cast<size_t>(graph->node_size()));
    }
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph->mutable_node());
    std::vector<FlatNode> flat;
    for (auto& node : nodes) {
      const bool plain = IsPlainIf(node);
      std::vector<size_t> own;  // what was directly in the node's branches
      for (size_t branch = 0; plain && branch < std::size(kIfBranches); ++branch) {
        onnx::GraphProto* body = BranchOf(&node, branch);
        GiveOwnNames(body);
        for (const FlatNode& inner : Flatten(body)) {
          if (inner.if_node < 0) own.push_back(flat.size());
          flat.push_back(inner);
          FlatNode& moved = flat.back();
          if (inner.if_node < 0)
            moved.branch = branch;
          else
            moved.if_node += graph->node_size();
        }
        for (const auto& output : body->output()) node.add_input(output.name());
        MoveContents(body, graph);
      }
      for (const size_t index : own) flat[index].if_node = graph->node_size();
      flat.push_back({.flat_if = plain});
      *graph->add_node() = std::move(node);
    }
    return flat;
  }

  // Outer graphs come first, so what a body reads from outside has its final name by now.
  void GiveOwnNames(onnx::GraphProto* body) {
    Names names;
    ForEachDefinition(*body, [&](const std::string& name) {
      if (name.empty() || taken_.insert(name).second || names.count(name) > 0) return;
      std::string fresh;
      for (int suffix = 1; fresh.empty() || known_.count(fresh) > 0; ++suffix) fresh = StrCat(name, "_", suffix);
      known_.insert(fresh);
      taken_.insert(fresh);
      names[name] = fresh;
    });
    if (!names.empty()) Rename(names, body);
  }

  static void MoveContents(onnx::GraphProto* body, onnx::GraphProto* graph) {
    std::set<std::string> written;
    for (auto& node : *body->mutable_node()) {
      written.insert(node.output().begin(), node.output().end());
      *graph->add_node() = std::move(node);
    }
    for (auto* values : {body->mutable_value_info(), body->mutable_output()}) {
      for (auto& value : *values) {
        if (written.erase(value.name()) > 0) *graph->add_value_info() = std::move(value);
      }
    }
    for (auto& tensor : *body->mutable_initializer()) *graph->add_initializer() = std::move(tensor);
    body->clear_node();
    body->clear_value_info();
    body->clear_output();
    body->clear_initializer();
  }

  std::set<std::string> known_;  // all names of the file
  std::set<std::string> taken_;  // those that no branch may use for something of its own any more
};

}  // namespace

std::vector<FlatNode> FlattenIfs(onnx::GraphProto* graph) { return Flattener().Run(graph); }

}  // namespace preon
