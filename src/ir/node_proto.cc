#include "ir/node_proto.h"

#include <utility>

#include "ir/tensor_proto.h"

namespace preon {
namespace {

template <typename Field>
void SetAll(const std::vector<typename Field::value_type>& values, Field* field) {
  field->Assign(values.begin(), values.end());
}

// Moves the value out; what is left in `proto` (doc strings, a tensor's own name) has no place in AttributeValue.
Result<AttributeValue> TakeAttribute(onnx::AttributeProto* proto, ExternalData& external) {
  AttributeValue value;
  switch (proto->has_ref_attr_name() ? onnx::AttributeProto::UNDEFINED : proto->type()) {
    case onnx::AttributeProto::INT:
      value = proto->i();
      break;
    case onnx::AttributeProto::FLOAT:
      value = proto->f();
      break;
    case onnx::AttributeProto::STRING:
      value = proto->s();
      break;
    case onnx::AttributeProto::INTS:
      value = std::vector<int64_t>(proto->ints().begin(), proto->ints().end());
      break;
    case onnx::AttributeProto::FLOATS:
      value = std::vector<float>(proto->floats().begin(), proto->floats().end());
      break;
    case onnx::AttributeProto::STRINGS:
      value = std::vector<std::string>(proto->strings().begin(), proto->strings().end());
      break;
    case onnx::AttributeProto::TENSOR: {
      PREON_ASSIGN_OR_RETURN(value, TakeTensor(proto->mutable_t(), external));
      break;
    }
    default:
      PREON_RETURN_IF_ERROR(InlineExternalTensors(proto, external));
      value = MakeOpaque(*proto);
      proto->Clear();
      return value;
  }
  if (proto->has_t() && proto->t().ByteSizeLong() == 0) proto->clear_t();
  proto->clear_type();
  proto->clear_i();
  proto->clear_f();
  proto->clear_s();
  proto->clear_ints();
  proto->clear_floats();
  proto->clear_strings();
  return value;
}

struct AttributeWriter {
  onnx::AttributeProto* proto;

  void operator()(int64_t value) const {
    proto->set_type(onnx::AttributeProto::INT);
    proto->set_i(value);
  }
  void operator()(float value) const {
    proto->set_type(onnx::AttributeProto::FLOAT);
    proto->set_f(value);
  }
  void operator()(const std::string& value) const {
    proto->set_type(onnx::AttributeProto::STRING);
    proto->set_s(value);
  }
  void operator()(const Tensor& value) const {
    proto->set_type(onnx::AttributeProto::TENSOR);
    WriteTensor(value, proto->mutable_t());
  }
  void operator()(const std::vector<int64_t>& values) const {
    proto->set_type(onnx::AttributeProto::INTS);
    SetAll(values, proto->mutable_ints());
  }
  void operator()(const std::vector<float>& values) const {
    proto->set_type(onnx::AttributeProto::FLOATS);
    SetAll(values, proto->mutable_floats());
  }
  void operator()(const std::vector<std::string>& values) const {
    proto->set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) proto->add_strings(value);
  }
  void operator()(const OpaqueAttribute& value) const { proto->ParseFromString(value.serialized); }
};

}  // namespace

std::set<std::string> CapturesOf(const onnx::GraphProto& graph) {
  std::set<std::string> defined = {""}, read;
  for (const auto& input : graph.input()) defined.insert(input.name());
  for (const auto& tensor : graph.initializer()) defined.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) defined.insert(tensor.values().name());
  for (const auto& node : graph.node()) {
    defined.insert(node.output().begin(), node.output().end());
    read.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) read.merge(CapturesOf(attribute.g()));
      for (const auto& inner : attribute.graphs()) read.merge(CapturesOf(inner));
    }
  }
  for (const auto& output : graph.output()) read.insert(output.name());
  for (const std::string& name : defined) read.erase(name);
  return read;
}

OpaqueAttribute MakeOpaque(const onnx::AttributeProto& proto) {
  OpaqueAttribute opaque;
  std::set<std::string> captures;
  if (proto.has_g()) captures = CapturesOf(proto.g());
  for (const auto& graph : proto.graphs()) captures.merge(CapturesOf(graph));
  opaque.captures.assign(captures.begin(), captures.end());
  opaque.is_graph = proto.has_g() || proto.graphs_size() > 0;
  opaque.serialized = proto.SerializeAsString();
  return opaque;
}

Status TakeNodeDetails(onnx::NodeProto* proto, ExternalData& external, Graph* graph, Node* node) {
  node->doc_string = std::move(*proto->mutable_doc_string());
  for (const auto& entry : proto->metadata_props()) node->metadata[entry.key()] = entry.value();
  onnx::NodeProto residue;
  for (auto& attribute : *proto->mutable_attribute()) {
    const std::string name = attribute.name();
    Result<AttributeValue> value = TakeAttribute(&attribute, external);
    if (!value.ok()) return std::move(value).status().WithContext("node ", node->name, ", attribute ", name);
    graph->SetAttribute(node, name, *std::move(value));
    attribute.clear_name();
    if (attribute.ByteSizeLong() == 0) continue;
    attribute.set_name(name);
    *residue.add_attribute() = std::move(attribute);
  }
  proto->clear_input();
  proto->clear_output();
  proto->clear_name();
  proto->clear_op_type();
  proto->clear_domain();
  proto->clear_doc_string();
  proto->clear_metadata_props();
  proto->clear_attribute();
  proto->MergeFrom(residue);
  node->residue = proto->SerializeAsString();
  return Status::Ok();
}

void WriteNode(const Node& node, onnx::NodeProto* proto) {
  std::map<std::string, onnx::AttributeProto> residues;
  if (!node.residue.empty()) {
    proto->ParseFromString(node.residue);
    for (auto& attribute : *proto->mutable_attribute()) residues[attribute.name()] = std::move(attribute);
    proto->clear_attribute();
  }
  for (const std::string& tensor : node.inputs()) proto->add_input(tensor);
  for (const std::string& tensor : node.outputs()) proto->add_output(tensor);
  if (node.named_by_user) proto->set_name(node.name);
  proto->set_op_type(node.op_type);
  if (!node.domain.empty()) proto->set_domain(node.domain);
  if (!node.doc_string.empty()) proto->set_doc_string(node.doc_string);
  for (const auto& [key, value] : node.metadata) {
    auto* entry = proto->add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  for (const auto& [name, value] : node.attributes) {
    onnx::AttributeProto* attribute = proto->add_attribute();
    std::visit(AttributeWriter{attribute}, value);
    attribute->MergeFrom(residues[name]);
    attribute->set_name(name);
  }
}

}  // namespace preon
