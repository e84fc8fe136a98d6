#include "ir/node_editor.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/protobuf_wire.h"

namespace preon {
namespace {

// Numbers of fields in onnx.proto.
enum ModelField : uint32_t { kModelGraph = 7 };
enum GraphField : uint32_t {
  kGraphNode = 1,
  kGraphInitializer = 5,
  kGraphInput = 11,
  kGraphOutput = 12,
  kGraphValueInfo = 13,
  kGraphSparse = 15
};
enum NodeField : uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kNodeOp = 4,
  kNodeAttribute = 5,
  kNodeDomain = 7
};
enum AttributeField : uint32_t {
  kAttributeName = 1,
  kAttributeInt = 3,
  kAttributeGraph = 6,
  kAttributeInts = 8,
  kAttributeGraphs = 11,
  kAttributeType = 20
};
constexpr uint64_t kTypeInt = 2, kTypeInts = 7;
enum TensorField : uint32_t { kTensorDims = 1, kTensorName = 8 };

Status Malformed() { return Error(ErrorId::kModelMalformed, "model: not an ONNX model, or cut short"); }

// The first length-delimited field `id` of a message; empty where there is none.
std::string_view FindField(std::string_view message, uint32_t id) {
  WireFields fields(message);
  for (WireField field; fields.Next(field);) {
    if (field.id == id) return field.bytes;
  }
  return {};
}

// What a sub-graph reads from outside, nested ones included.
void CollectCaptures(std::string_view graph, std::set<std::string>& captures) {
  std::set<std::string> read, defined;
  WireFields fields(graph);
  for (WireField field; fields.Next(field);) {
    if (field.id == kGraphInput) defined.emplace(FindField(field.bytes, 1));
    if (field.id == kGraphInitializer) defined.emplace(FindField(field.bytes, kTensorName));
    if (field.id == kGraphSparse) defined.emplace(FindField(FindField(field.bytes, 1), kTensorName));
    if (field.id == kGraphOutput) read.emplace(FindField(field.bytes, 1));
    if (field.id != kGraphNode) continue;
    WireFields node(field.bytes);
    for (WireField part; node.Next(part);) {
      if (part.id == kNodeInput && !part.bytes.empty()) read.emplace(part.bytes);
      if (part.id == kNodeOutput) defined.emplace(part.bytes);
      if (part.id != kNodeAttribute) continue;
      WireFields attribute(part.bytes);
      for (WireField value; attribute.Next(value);) {
        if (value.id == kAttributeGraph || value.id == kAttributeGraphs) CollectCaptures(value.bytes, read);
      }
    }
  }
  std::ranges::set_difference(read, defined, std::inserter(captures, captures.end()));
}

// Integers and what sub-graphs read; other values stay in the node's bytes.
void MoveAttribute(Graph& graph, Node* node, std::string_view attribute) {
  std::string name;
  std::set<std::string> captures;
  bool is_graph = false;
  std::optional<int64_t> number;
  WireFields fields(attribute);
  for (WireField field; fields.Next(field);) {
    if (field.id == kAttributeName) name = field.bytes;
    if (field.id == kAttributeInt) number = static_cast<int64_t>(field.number);
    if (field.id != kAttributeGraph && field.id != kAttributeGraphs) continue;
    is_graph = true;
    CollectCaptures(field.bytes, captures);
  }
  if (is_graph) {
    graph.SetAttribute(node, name, OpaqueAttribute{{}, {captures.begin(), captures.end()}, true});
  } else if (number) {
    node->attributes[name] = *number;
  }
}

// Everything but inputs and outputs goes back as it came: into `residue`.
bool TakeNode(Graph& graph, std::string_view bytes) {
  std::vector<std::string> inputs, outputs;
  std::vector<std::string_view> attributes;
  std::string name, op, domain, residue;
  WireFields fields(bytes);
  for (WireField field; fields.Next(field);) {
    switch (field.id) {
      case kNodeInput:
        inputs.emplace_back(field.bytes);
        continue;
      case kNodeOutput:
        outputs.emplace_back(field.bytes);
        continue;
      case kNodeName:
        name = field.bytes;
        break;
      case kNodeOp:
        op = field.bytes;
        break;
      case kNodeDomain:
        domain = field.bytes;
        break;
      case kNodeAttribute:
        attributes.push_back(field.bytes);
        break;
    }
    residue += field.whole;
  }
  if (domain == "ai.onnx") domain.clear();
  std::set<std::string_view> written;  // each tensor once, and none that is there already
  for (const std::string& tensor : outputs) {
    const bool known =
        graph.Producer(tensor) != nullptr || graph.IsInput(tensor) || graph.opaque_constants.contains(tensor);
    if (!tensor.empty() && (known || !written.insert(tensor).second)) return false;
  }
  Node* node = graph.AddNode(op, std::move(inputs), std::move(outputs), name, domain);
  node->residue = std::move(residue);
  for (const std::string_view attribute : attributes) MoveAttribute(graph, node, attribute);
  return fields.ok();
}

// A ValueInfoProto: name, TypeProto{tensor_type{elem_type, shape{dim{dim_value, dim_param}}}}.
std::pair<std::string, ValueInfo> ReadInfo(std::string_view bytes) {
  ValueInfo info;
  WireFields tensor(FindField(FindField(bytes, 2), 1));
  for (WireField field; tensor.Next(field);) {
    if (field.id == 1) info.type = static_cast<DataType>(field.number);
    if (field.id != 2) continue;
    info.shape.emplace();
    WireFields dims(field.bytes);
    for (WireField dim; dims.Next(dim);) {
      info.shape->push_back(kDynamicDim);
      info.dim_names.emplace_back();
      WireFields size(dim.bytes);
      for (WireField part; size.Next(part);) {
        if (part.id == 1) info.shape->back() = static_cast<int64_t>(part.number);
        if (part.id == 2) info.dim_names.back() = part.bytes;
      }
    }
  }
  return {std::string(FindField(bytes, 1)), std::move(info)};
}

void AppendAttribute(std::string& node, const std::string& name, const AttributeValue& value) {
  std::string attribute;
  AppendBytes(attribute, kAttributeName, name);
  if (const auto* number = std::get_if<int64_t>(&value)) {
    AppendNumber(attribute, kAttributeInt, static_cast<uint64_t>(*number));
    AppendNumber(attribute, kAttributeType, kTypeInt);
  } else {
    for (const int64_t element : std::get<std::vector<int64_t>>(value))
      AppendNumber(attribute, kAttributeInts, static_cast<uint64_t>(element));
    AppendNumber(attribute, kAttributeType, kTypeInts);
  }
  AppendBytes(node, kNodeAttribute, attribute);
}

std::string NodeBytes(const Node& node) {
  std::string bytes;
  for (const std::string& input : node.inputs()) AppendBytes(bytes, kNodeInput, input);
  for (const std::string& output : node.outputs()) AppendBytes(bytes, kNodeOutput, output);
  if (!node.residue.empty()) return bytes + node.residue;
  AppendBytes(bytes, kNodeName, node.name);
  AppendBytes(bytes, kNodeOp, node.op_type);
  AppendBytes(bytes, kNodeDomain, node.domain);
  for (const auto& [name, value] : node.attributes) AppendAttribute(bytes, name, value);
  return bytes;
}

}  // namespace

Result<NodeEditor> NodeEditor::Parse(std::string_view bytes) {
  NodeEditor editor;
  std::string_view graph_bytes;
  WireFields model(bytes);
  for (WireField field; model.Next(field);) {
    if (field.id != kModelGraph) continue;
    if (!graph_bytes.empty()) return Malformed();
    graph_bytes = field.bytes;
    editor.before_ = bytes.substr(0, static_cast<size_t>(field.whole.data() - bytes.data()));
    editor.behind_ = bytes.substr(editor.before_.size() + field.whole.size());
  }
  if (!model.ok() || graph_bytes.empty()) return Malformed();

  Graph& graph = editor.model_.graph;
  std::vector<std::string_view> nodes;
  std::vector<WireField> infos;
  WireFields fields(graph_bytes);
  for (WireField field; fields.Next(field);) {
    if (field.id == kGraphNode) {
      nodes.push_back(field.bytes);
      continue;
    }
    editor.graph_fields_ += field.whole;
    if (field.id == kGraphInitializer) graph.opaque_constants.emplace(FindField(field.bytes, kTensorName));
    if (field.id == kGraphSparse) graph.opaque_constants.emplace(FindField(FindField(field.bytes, 1), kTensorName));
    if (field.id == kGraphInput || field.id == kGraphOutput || field.id == kGraphValueInfo) infos.push_back(field);
  }
  for (const WireField& field : infos) {
    auto [name, info] = ReadInfo(field.bytes);
    if (name.empty() || graph.opaque_constants.contains(name)) continue;
    if (field.id == kGraphInput && !graph.IsInput(name)) graph.AddInput(name, info);
    if (field.id == kGraphOutput && !graph.IsOutput(name)) graph.AddOutput(name, info);
    if (field.id == kGraphValueInfo) graph.SetInfo(name, info);
  }
  if (!fields.ok()) return Malformed();
  for (const std::string_view node : nodes) {
    if (!TakeNode(graph, node)) return Malformed();
  }
  return editor;
}

std::string NodeEditor::Serialize() const {
  std::string graph;
  for (const auto& node : model_.graph.nodes()) AppendBytes(graph, kGraphNode, NodeBytes(*node));
  graph += graph_fields_;
  std::string bytes(before_);
  AppendBytes(bytes, kModelGraph, graph);
  return bytes.append(behind_);
}

}  // namespace preon
