#include "instrument/instrumented_model.h"

#include <algorithm>
#include <span>

#include "runtime/served/served_node.h"

namespace preon {
namespace {

// No names of the model's own: its inputs and outputs keep theirs.
constexpr char kModelTensor[] = "preon.model", kBlockModelTensor[] = "preon.block_model";

Tensor BytesTensor(const std::string& bytes) {
  return Tensor::From(DataType::kUInt8, {static_cast<int64_t>(bytes.size())}, std::span<const char>(bytes));
}

ValueInfo InfoOf(const Graph& graph, const std::string& tensor) {
  const ValueInfo* info = graph.Info(tensor);
  return info == nullptr ? ValueInfo() : *info;
}

}  // namespace

std::vector<std::string> Instrumentation::Observed() const {
  std::vector<std::string> observed(request.tensors.begin(), request.tensors.end());
  std::erase_if(observed, [&](const std::string& tensor) { return header.derived.contains(tensor); });
  return observed;
}

Model MakeInstrumented(const Model& source, const Instrumentation& plan, const PackedModel& packed) {
  Model model;
  model.ir_version = source.ir_version;
  model.opsets = {{"", source.opset()}, {kInstrumentDomain, 1}};
  model.producer_name = source.producer_name;
  model.producer_version = source.producer_version;
  model.domain = source.domain;
  model.doc_string = source.doc_string;
  model.model_version = source.model_version;
  model.metadata = source.metadata;

  Graph& graph = model.graph;
  graph.name = source.graph.name;
  graph.doc_string = source.graph.doc_string;
  for (const std::string& input : source.graph.inputs()) graph.AddInput(input, InfoOf(source.graph, input));
  std::vector<std::string> inputs = {graph.UniqueTensorName(kModelTensor), graph.UniqueTensorName(kBlockModelTensor)};
  graph.SetInitializer(inputs[0], BytesTensor(packed.model));
  graph.SetInitializer(inputs[1], BytesTensor(packed.block_model));
  inputs.insert(inputs.end(), source.graph.inputs().begin(), source.graph.inputs().end());
  std::vector<std::string> outputs = source.graph.outputs();
  for (std::string& output : outputs) {
    if (graph.IsInput(output)) output = graph.UniqueTensorName(output);  // the caller gets the input itself
  }
  Node* node = graph.AddNode(kInstrumentedOp, inputs, outputs, "instrumented", kInstrumentDomain);
  node->attributes[kDescriptionAttribute] = WriteDescription(plan, packed);
  for (const std::string& output : source.graph.outputs()) graph.AddOutput(output, InfoOf(source.graph, output));
  return model;
}

Result<Description> DescriptionOf(const Node& instrumented) {
  return ParseDescription(instrumented.String(kDescriptionAttribute, ""));
}

const Node* FindInstrumented(const Graph& graph) {
  const auto found = std::ranges::find_if(graph.nodes(), [](const auto& node) {
    return node->domain == kInstrumentDomain && node->op_type == kInstrumentedOp;
  });
  return found == graph.nodes().end() ? nullptr : found->get();
}

Status CheckNotInstrumented(const Model& model) {
  if (FindInstrumented(model.graph) == nullptr) return Status::Ok();
  return Error(ErrorId::kAlreadyInstrumented, model.source_path,
               ": made by 'preon instrument'; wanted the float model ", "that it was made from");
}

}  // namespace preon
