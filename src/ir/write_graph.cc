#include <utility>

#include "ir/graph_proto.h"
#include "ir/tensor_proto.h"
#include "ir/value_info_proto.h"
#include "ir/write_nodes.h"

namespace preon {
namespace {

// Above this an initializer is declared as an input where only structure counts. Shape inference reads the values of
// shapes, axes and pads, which are far smaller.
constexpr size_t kStructureBytes = 1024;

onnx::GraphProto ParseResidue(const Graph& graph) {
  onnx::GraphProto residue;
  residue.ParseFromString(graph.residue);
  return residue;
}

void WriteInitializers(const Graph& graph, InitializerMode mode, const ValueWriter& values, onnx::GraphProto* proto) {
  std::map<std::string, onnx::TensorProto> residues = InitializerResidues(graph);
  for (const auto& [tensor, value] : graph.initializers()) {
    const bool declare = mode == InitializerMode::kStructure && value.bytes().size() > kStructureBytes;
    if (declare || graph.overridable_initializers.count(tensor) > 0) {
      values.Add(tensor, proto->mutable_input());
    } else if (values.HasResidue(tensor)) {
      values.Add(tensor, proto->mutable_value_info());
    }
    if (declare || mode == InitializerMode::kLeftOut) continue;
    onnx::TensorProto* written = proto->add_initializer();
    written->Swap(&residues[tensor]);
    WriteTensor(value, written);
    written->set_name(tensor);
  }
}

}  // namespace

std::map<std::string, onnx::TensorProto> InitializerResidues(const Graph& graph) {
  std::map<std::string, onnx::TensorProto> residues;
  onnx::GraphProto residue = ParseResidue(graph);
  for (auto& tensor : *residue.mutable_initializer()) residues[tensor.name()] = std::move(tensor);
  return residues;
}

void WriteGraph(const Graph& graph, InitializerMode mode, onnx::GraphProto* proto, BranchMode branches) {
  onnx::GraphProto residue = ParseResidue(graph);
  proto->set_name(graph.name);
  if (!graph.doc_string.empty()) proto->set_doc_string(graph.doc_string);
  const ValueWriter values(graph, residue);
  for (const std::string& tensor : graph.inputs()) values.Add(tensor, proto->mutable_input());
  WriteInitializers(graph, mode, values, proto);
  for (const std::string& tensor : graph.outputs()) values.Add(tensor, proto->mutable_output());
  WriteNodes(graph, branches, values, proto);

  residue.clear_initializer();
  residue.clear_input();
  residue.clear_output();
  residue.clear_value_info();
  proto->MergeFrom(residue);
}

onnx::ModelProto ToProto(const Model& model, InitializerMode mode, BranchMode branches) {
  onnx::ModelProto proto;
  proto.ParseFromString(model.residue);
  const auto& overridable = model.graph.overridable_initializers;
  const bool raise_ir =
      model.ir_version < kFreeInitializersIrVersion && overridable.size() != model.graph.initializers().size();
  proto.set_ir_version(raise_ir ? kFreeInitializersIrVersion : model.ir_version);
  for (const auto& [domain, version] : model.opsets) {
    auto* opset = proto.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  }
  if (!model.producer_name.empty()) proto.set_producer_name(model.producer_name);
  if (!model.producer_version.empty()) proto.set_producer_version(model.producer_version);
  if (!model.domain.empty()) proto.set_domain(model.domain);
  if (!model.doc_string.empty()) proto.set_doc_string(model.doc_string);
  if (model.model_version != 0) proto.set_model_version(model.model_version);
  for (const auto& [key, value] : model.metadata) {
    auto* entry = proto.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  for (const std::string& function : model.opaque_functions) proto.add_functions()->ParseFromString(function);
  if (raise_ir) {
    Graph constants = model.graph;
    constants.overridable_initializers.clear();
    WriteGraph(constants, mode, proto.mutable_graph(), branches);
  } else {
    WriteGraph(model.graph, mode, proto.mutable_graph(), branches);
  }
  return proto;
}

}  // namespace preon
