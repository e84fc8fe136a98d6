#include "ir/graph_proto.h"

#include <set>
#include <utility>

#include "ir/flatten_if.h"
#include "ir/node_proto.h"
#include "ir/tensor_proto.h"
#include "ir/value_info_proto.h"

namespace preon {
namespace {

Status DefinedTwice(const std::string& tensor) {
  return Error(ErrorId::kModelInvalid, "tensor '", tensor, "' is defined twice");
}

Status TakeInitializers(onnx::GraphProto* proto, ExternalData& external, Graph* graph, onnx::GraphProto* residue) {
  for (auto& tensor : *proto->mutable_initializer()) {
    const std::string name = tensor.name();
    if (name.empty()) return Error(ErrorId::kModelInvalid, "an initializer has no name");
    if (graph->HasTensor(name)) return DefinedTwice(name);
    PREON_ASSIGN_OR_RETURN(Tensor value, TakeTensor(&tensor, external));
    graph->SetInitializer(name, std::move(value));
    tensor.clear_name();
    if (tensor.ByteSizeLong() == 0) continue;
    tensor.set_name(name);
    *residue->add_initializer() = std::move(tensor);
  }
  for (auto& sparse : *proto->mutable_sparse_initializer()) {
    if (!graph->opaque_constants.insert(sparse.values().name()).second || graph->Initializer(sparse.values().name())) {
      return DefinedTwice(sparse.values().name());
    }
    PREON_RETURN_IF_ERROR(InlineExternalTensors(&sparse, external));
    *residue->add_sparse_initializer() = std::move(sparse);
  }
  return Status::Ok();
}

Status TakeInputs(const onnx::GraphProto& proto, Graph* graph, onnx::GraphProto* residue) {
  for (const auto& input : proto.input()) {
    const std::string& name = input.name();
    if (name.empty()) return Error(ErrorId::kModelInvalid, "a graph input has no name");
    if (graph->IsInput(name)) return DefinedTwice(name);
    KeepValueResidue(input, residue->mutable_input());
    if (graph->Initializer(name) == nullptr) {
      if (graph->HasTensor(name)) return DefinedTwice(name);
      graph->AddInput(name, ReadValueInfo(input));
      continue;
    }
    if (!graph->overridable_initializers.insert(name).second) return DefinedTwice(name);
    ValueInfo info = *graph->Info(name);
    ValueInfo declared = ReadValueInfo(input);
    info.doc_string = std::move(declared.doc_string);
    if (declared.shape && declared.shape->size() == info.shape->size()) info.dim_names = std::move(declared.dim_names);
    graph->SetInfo(name, std::move(info));
  }
  return Status::Ok();
}

// The If of a branch comes behind its nodes, so homes are set when all nodes have their names.
void SetHomes(const std::vector<FlatNode>& flat, Graph* graph) {
  const auto& nodes = graph->nodes();  // not sorted yet: as in the file
  for (size_t index = 0; index < flat.size(); ++index) {
    Node* node = nodes[index].get();
    node->home = IfBranch{};
    if (flat[index].if_node >= 0)
      node->home = {nodes[static_cast<size_t>(flat[index].if_node)]->name, flat[index].branch};
    for (const char* branch : kIfBranches) {
      if (!flat[index].flat_if) break;
      auto emptied = std::get<OpaqueAttribute>(node->attributes.at(branch));
      emptied.is_graph = false;
      graph->SetAttribute(node, branch, std::move(emptied));
    }
  }
}

Status TakeNodes(onnx::GraphProto* proto, ExternalData& external, Graph* graph) {
  // No name made up for one node may be the name that the user gave to another.
  std::set<std::string> taken;
  for (const auto& node : proto->node()) taken.insert(node.name());
  for (int index = 0; index < proto->node_size(); ++index) {
    onnx::NodeProto* node_proto = proto->mutable_node(index);
    if (node_proto->op_type().empty()) return Error(ErrorId::kModelInvalid, "node ", index, " has no operator type");
    const std::string given = node_proto->name();
    std::string name = given;
    if (given.empty() || graph->FindNode(given) != nullptr) {
      name = StrCat(given.empty() ? node_proto->op_type() : given, "_", index);
      while (!taken.insert(name).second) name += "_";
    }
    for (const std::string& tensor : node_proto->output()) {
      if (tensor.empty()) continue;
      if (graph->Producer(tensor) != nullptr || graph->Initializer(tensor) != nullptr || graph->IsInput(tensor) ||
          graph->opaque_constants.count(tensor) > 0) {
        return DefinedTwice(tensor);
      }
    }
    Node* node = graph->AddNode(node_proto->op_type(), {node_proto->input().begin(), node_proto->input().end()},
                                {node_proto->output().begin(), node_proto->output().end()}, name,
                                node_proto->domain() == "ai.onnx" ? "" : node_proto->domain());
    node->named_by_user = !given.empty();
    if (node->named_by_user) node->origins = {given};
    PREON_RETURN_IF_ERROR(TakeNodeDetails(node_proto, external, graph, node));
  }
  return Status::Ok();
}

Status TakeOutputs(const onnx::GraphProto& proto, Graph* graph, onnx::GraphProto* residue) {
  for (const auto& output : proto.output()) {
    const std::string& name = output.name();
    if (name.empty()) return Error(ErrorId::kModelInvalid, "a graph output has no name");
    if (graph->IsOutput(name)) return Error(ErrorId::kModelInvalid, "graph output '", name, "' is listed twice");
    KeepValueResidue(output, residue->mutable_output());
    // An output that is an input or a constant has its facts already.
    const ValueInfo* known = graph->Info(name);
    graph->AddOutput(name, known == nullptr ? ReadValueInfo(output) : *known);
  }
  for (const auto& value : proto.value_info()) {
    if (graph->Initializer(value.name()) != nullptr) {
      *residue->add_value_info() = value;  // adds no information; kept because the file has it
    } else if (graph->Info(value.name()) == nullptr && graph->Producer(value.name()) != nullptr) {
      KeepValueResidue(value, residue->mutable_value_info());
      graph->SetInfo(value.name(), ReadValueInfo(value));
    }
  }
  return Status::Ok();
}

}  // namespace

Result<Graph> TakeGraph(onnx::GraphProto* proto, ExternalData& external) {
  Graph graph;
  onnx::GraphProto residue;
  const std::vector<FlatNode> flat = FlattenIfs(proto);
  PREON_RETURN_IF_ERROR(TakeInitializers(proto, external, &graph, &residue));
  PREON_RETURN_IF_ERROR(TakeInputs(*proto, &graph, &residue));
  PREON_RETURN_IF_ERROR(TakeNodes(proto, external, &graph));
  SetHomes(flat, &graph);
  PREON_RETURN_IF_ERROR(TakeOutputs(*proto, &graph, &residue));
  PREON_RETURN_IF_ERROR(graph.SortTopologically());
  PREON_RETURN_IF_ERROR(graph.CheckIntegrity());

  graph.name = std::move(*proto->mutable_name());
  graph.doc_string = std::move(*proto->mutable_doc_string());
  proto->clear_name();
  proto->clear_doc_string();
  proto->clear_node();
  proto->clear_initializer();
  proto->clear_sparse_initializer();
  proto->clear_input();
  proto->clear_output();
  proto->clear_value_info();
  proto->MergeFrom(residue);
  graph.residue = proto->SerializeAsString();
  return graph;
}

}  // namespace preon
