// Raises one opset at a time, in place of onnx's version converter: that one loses names, stops at operators of other
// domains and sub-graphs, and knows no way for several operators that real models hold. ONNX's schemas say which
// operators changed at a step; where the signature still takes everything the old one took, the node stays as it is,
// elsewhere an adapter rewrites it, and without one the conversion fails.
#include <onnx/defs/schema.h>

#include <algorithm>
#include <utility>

#include "ir/graph_proto.h"
#include "ir/model_io.h"
#include "ir/opset_adapters.h"
#include "ir/sub_graphs.h"

namespace preon {
namespace {

using onnx::OpSchema;

const OpSchema* SchemaAt(const std::string& op_type, int64_t opset) {
  return onnx::OpSchemaRegistry::Schema(op_type, static_cast<int>(opset), onnx::ONNX_DOMAIN);
}

// Every node that was valid under `old` is valid under `fresh`.
bool TakesAllThatTook(const OpSchema& fresh, const OpSchema& old) {
  if (fresh.Deprecated() || fresh.inputs().size() < old.inputs().size() ||
      fresh.outputs().size() < old.outputs().size()) {
    return false;
  }
  for (size_t index = 0; index < fresh.inputs().size(); ++index) {
    const bool optional = fresh.inputs()[index].GetOption() != OpSchema::Single;
    if (index >= old.inputs().size()) {
      if (!optional) return false;
      continue;
    }
    const bool was_optional = old.inputs()[index].GetOption() != OpSchema::Single;
    if (fresh.inputs()[index].GetName() != old.inputs()[index].GetName() || (was_optional && !optional)) return false;
  }
  for (const auto& [name, attribute] : fresh.attributes()) {
    if (attribute.required && old.attributes().count(name) == 0) return false;
  }
  return std::all_of(old.attributes().begin(), old.attributes().end(), [&](const auto& entry) {
    const auto now = fresh.attributes().find(entry.first);
    return now != fresh.attributes().end() && (entry.second.required || !now->second.required) &&
           now->second.default_value.SerializeAsString() == entry.second.default_value.SerializeAsString();
  });
}

enum class Step { kSame, kAdapter, kUnknown };

Step StepOf(const std::string& op_type, int64_t opset) {
  const OpSchema* fresh = SchemaAt(op_type, opset);
  const OpSchema* old = SchemaAt(op_type, opset - 1);
  // What ONNX does not know, or did not know before, is the runtime's: it can't change with ONNX's opset.
  if (fresh == nullptr || old == nullptr || fresh == old) return Step::kSame;
  if (FindOpsetAdapter(op_type, opset) != nullptr) return Step::kAdapter;
  return TakesAllThatTook(*fresh, *old) ? Step::kSame : Step::kUnknown;
}

// IR version that ONNX released together with the first of these opsets.
constexpr std::pair<int64_t, int64_t> kIrVersions[] = {{7, 3},  {9, 4},   {10, 5},  {11, 6},  {12, 7},  {15, 8},
                                                       {19, 9}, {21, 10}, {23, 11}, {24, 12}, {25, 13}, {28, 14}};

void RaiseIrVersion(Model* model, int64_t opset) {
  const int64_t before = model->ir_version;
  for (const auto& [first_opset, ir_version] : kIrVersions) {
    if (opset >= first_opset) model->ir_version = std::max(model->ir_version, ir_version);
  }
  // IR 3 had to list every initializer as an input, and meant nothing by it; from IR 4 on it would make them variable.
  if (before < kFreeInitializersIrVersion && model->ir_version >= kFreeInitializersIrVersion) {
    model->graph.overridable_initializers.clear();
  }
}

Status ConvertGraph(Model* model, int64_t from, int64_t to) {
  InferShapes(*model);  // some adapters need an element type or a rank
  PREON_RETURN_IF_ERROR(EditSubGraphs(*model, [&](Model& body) { return ConvertGraph(&body, from, to); }));
  Graph& graph = model->graph;
  for (int64_t opset = from + 1; opset <= to; ++opset) {
    std::vector<Node*> nodes;
    for (const auto& node : graph.nodes()) nodes.push_back(node.get());  // adapters add nodes of their own
    for (Node* node : nodes) {
      const Step step = node->domain.empty() ? StepOf(node->op_type, opset) : Step::kSame;
      if (step == Step::kSame) continue;
      Status status = step == Step::kAdapter ? FindOpsetAdapter(node->op_type, opset)(&graph, node)
                                             : Error(ErrorId::kOpsetConversion, "no conversion for operator ",
                                                     node->op_type, " to opset ", opset);
      if (!status.ok()) return std::move(status).WithContext("node ", node->name);
    }
  }
  return Status::Ok();
}

// Functions are kept as they are, so each of their operators must mean the same under the new opset.
Status ConvertFunction(int64_t to, std::string* serialized) {
  onnx::FunctionProto function;
  function.ParseFromString(*serialized);
  for (auto& opset : *function.mutable_opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    const int64_t from = std::max<int64_t>(opset.version(), 0);  // a function's own opset is not checked before
    for (const auto& node : function.node()) {
      const auto& attributes = node.attribute();
      const bool has_body = std::any_of(attributes.begin(), attributes.end(), [](const auto& a) { return a.has_g(); });
      for (int64_t step = from + 1; step <= to && node.domain().empty(); ++step) {
        if (!has_body && StepOf(node.op_type(), step) == Step::kSame) continue;
        return Error(ErrorId::kOpsetConversion, "function ", function.name(), ": no conversion for operator ",
                     node.op_type());
      }
    }
    opset.set_version(std::max<int64_t>(to, opset.version()));
  }
  *serialized = function.SerializeAsString();
  return Status::Ok();
}

Status ConvertModel(Model* model, int64_t from, int64_t to) {
  if (from > 0) PREON_RETURN_IF_ERROR(ConvertGraph(model, from, to));
  for (std::string& function : model->opaque_functions) PREON_RETURN_IF_ERROR(ConvertFunction(to, &function));
  model->opsets[""] = to;
  RaiseIrVersion(model, to);
  return Status::Ok();
}

}  // namespace

Status ConvertOpset(Model& model, int64_t opset) {
  const int64_t from = model.opset();
  if (from >= opset) return Status::Ok();
  if (opset > NewestOpset()) {
    return Error(ErrorId::kOpsetConversion, model.source_path, ": opset ", opset, "; wanted at most ", NewestOpset());
  }
  Model converted = model;
  Status status = ConvertModel(&converted, from, opset);
  if (!status.ok()) return std::move(status).WithContext(model.source_path, ": opset ", from, " to ", opset);
  model = std::move(converted);
  return Status::Ok();
}

}  // namespace preon
