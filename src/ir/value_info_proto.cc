#include "ir/value_info_proto.h"

#include <algorithm>
#include <utility>

namespace preon {
namespace {

bool HasDenotation(const onnx::TypeProto& type) {
  const auto& dims = type.tensor_type().shape().dim();
  return type.has_denotation() ||
         std::any_of(dims.begin(), dims.end(), [](const auto& d) { return d.has_denotation(); });
}

}  // namespace

ValueInfo ReadValueInfo(const onnx::ValueInfoProto& proto) {
  ValueInfo info;
  info.doc_string = proto.doc_string();
  const onnx::TypeProto& type = proto.type();
  if (!type.has_tensor_type()) {
    if (type.value_case() != onnx::TypeProto::VALUE_NOT_SET) info.opaque_type = type.SerializeAsString();
    return info;
  }
  info.type = static_cast<DataType>(type.tensor_type().elem_type());
  if (!type.tensor_type().has_shape()) return info;
  info.shape.emplace();
  for (const auto& dim : type.tensor_type().shape().dim()) {
    // Some exporters write -1 for what they don't know.
    info.shape->push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : kDynamicDim);
    info.dim_names.push_back(dim.dim_param());
  }
  return info;
}

void WriteValueInfo(const ValueInfo& info, onnx::ValueInfoProto* proto) {
  if (!info.doc_string.empty()) proto->set_doc_string(info.doc_string);
  if (!info.opaque_type.empty()) {
    proto->mutable_type()->ParseFromString(info.opaque_type);
    return;
  }
  if (info.type == DataType::kUndefined && !info.shape) return;
  auto* type = proto->mutable_type()->mutable_tensor_type();
  type->set_elem_type(static_cast<int32_t>(info.type));
  if (!info.shape) return;
  auto* shape = type->mutable_shape();
  for (size_t axis = 0; axis < info.shape->size(); ++axis) {
    auto* dim = shape->add_dim();
    const bool named = axis < info.dim_names.size() && !info.dim_names[axis].empty();
    if ((*info.shape)[axis] >= 0) {
      dim->set_dim_value((*info.shape)[axis]);
    } else if (named) {
      dim->set_dim_param(info.dim_names[axis]);
    }
  }
}

void KeepValueResidue(onnx::ValueInfoProto value, ValueInfoProtos* residues) {
  if (!HasDenotation(value.type())) value.clear_type();
  if (!value.has_type() && value.metadata_props_size() == 0) return;
  value.clear_doc_string();
  *residues->Add() = std::move(value);
}

void MergeValueResidue(const onnx::ValueInfoProto& residue, onnx::ValueInfoProto* value) {
  value->mutable_metadata_props()->MergeFrom(residue.metadata_props());
  if (!residue.has_type()) return;
  onnx::TypeProto* type = value->mutable_type();
  if (residue.type().has_denotation()) type->set_denotation(residue.type().denotation());
  const auto& dims = residue.type().tensor_type().shape().dim();
  if (!type->has_tensor_type() || type->tensor_type().shape().dim_size() != dims.size()) return;
  for (int axis = 0; axis < dims.size(); ++axis) {
    if (!dims[axis].has_denotation()) continue;
    type->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_denotation(dims[axis].denotation());
  }
}

ValueWriter::ValueWriter(const Graph& graph, const onnx::GraphProto& residue) : graph_(graph) {
  for (const auto* values : {&residue.input(), &residue.output(), &residue.value_info()}) {
    for (const auto& value : *values) residues_.emplace(value.name(), &value);
  }
}

void ValueWriter::Add(const std::string& tensor, ValueInfoProtos* values) const {
  AddAs(tensor, tensor, values);
  const auto residue = residues_.find(tensor);
  if (residue != residues_.end()) MergeValueResidue(*residue->second, values->Mutable(values->size() - 1));
}

void ValueWriter::AddAs(const std::string& name, const std::string& tensor, ValueInfoProtos* values) const {
  onnx::ValueInfoProto* value = values->Add();
  value->set_name(name);
  if (const ValueInfo* info = graph_.Info(tensor)) WriteValueInfo(*info, value);
}

}  // namespace preon
