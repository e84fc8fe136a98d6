#include "ir/sub_graphs.h"

#include <algorithm>

#include "ir/graph_proto.h"
#include "ir/node_proto.h"
#include "ir/value_info_proto.h"

namespace preon {
namespace {

// Outer tensors that the body reads become its inputs for as long as it is edited: so their types are known inside.
Status EditBody(const Model& outer, const std::function<Status(Model&)>& edit, onnx::GraphProto* body) {
  const std::set<std::string> captures = CapturesOf(*body);
  for (const std::string& tensor : captures) {
    onnx::ValueInfoProto* input = body->add_input();
    input->set_name(tensor);
    if (const ValueInfo* info = outer.graph.Info(tensor)) WriteValueInfo(*info, input);
  }
  ExternalData none("");  // the loader has moved external tensors of bodies inside
  Model inner;
  inner.ir_version = outer.ir_version;
  inner.opsets = outer.opsets;
  PREON_ASSIGN_OR_RETURN(inner.graph, TakeGraph(body, none));
  PREON_RETURN_IF_ERROR(edit(inner));
  body->Clear();
  WriteGraph(inner.graph, InitializerMode::kWhole, body);
  auto* inputs = body->mutable_input();
  inputs->erase(std::remove_if(inputs->begin(), inputs->end(), [&](const auto& i) { return captures.count(i.name()); }),
                inputs->end());
  return Status::Ok();
}

bool Mentions(const onnx::NodeProto& node, DataType type) {
  const auto number = static_cast<int32_t>(type);
  return std::any_of(node.attribute().begin(), node.attribute().end(), [&](const onnx::AttributeProto& attribute) {
    const bool is_type = attribute.name() == "to" || attribute.name() == "dtype";
    const auto in_graph = [&](const onnx::GraphProto& graph) {
      return std::any_of(graph.node().begin(), graph.node().end(), [&](const auto& n) { return Mentions(n, type); }) ||
             std::any_of(graph.initializer().begin(), graph.initializer().end(),
                         [&](const auto& tensor) { return tensor.data_type() == number; });
    };
    return (attribute.has_t() && attribute.t().data_type() == number) || (is_type && attribute.i() == number) ||
           (attribute.has_g() && in_graph(attribute.g()));
  });
}

}  // namespace

Status EditSubGraphs(Model& model, const std::function<Status(Model& body)>& edit) {
  for (const auto& node : model.graph.nodes()) {
    const auto attributes = node->attributes;
    for (const auto& [name, value] : attributes) {
      const auto* opaque = std::get_if<OpaqueAttribute>(&value);
      if (opaque == nullptr || !opaque->is_graph) continue;
      onnx::AttributeProto proto;
      proto.ParseFromString(opaque->serialized);
      Status status = proto.has_g() ? EditBody(model, edit, proto.mutable_g()) : Status::Ok();
      for (int index = 0; status.ok() && index < proto.graphs_size(); ++index) {
        status = EditBody(model, edit, proto.mutable_graphs(index));
      }
      if (!status.ok()) return std::move(status).WithContext("node ", node->name, ", ", name);
      model.graph.SetAttribute(node.get(), name, MakeOpaque(proto));
    }
  }
  return Status::Ok();
}

std::string FunctionOfType(const Model& model, DataType type) {
  for (const std::string& serialized : model.opaque_functions) {
    onnx::FunctionProto function;
    function.ParseFromString(serialized);
    if (std::any_of(function.node().begin(), function.node().end(), [&](const auto& n) { return Mentions(n, type); })) {
      return function.name();
    }
  }
  return "";
}

}  // namespace preon
