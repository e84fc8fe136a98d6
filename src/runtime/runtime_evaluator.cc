#include "runtime/runtime_evaluator.h"

#include <algorithm>

#include "runtime/session.h"

namespace preon {
namespace {

/// A model without nodes, for one of `model`.
Model ModelForNode(const Model& model, const Node& node) {
  Model single = model.ForPart();
  single.source_path = StrCat(model.source_path.empty() ? "model" : model.source_path, ": node ", node.name);
  single.graph.name = "node";
  return single;
}

void AddTheNode(Model& single, const Node& node) {
  Node* copy = single.graph.AddNode(node.op_type, node.inputs(), node.outputs(), node.name, node.domain);
  copy->attributes = node.attributes;
  for (const std::string& output : node.outputs()) {
    if (!output.empty()) single.graph.AddOutput(output, {});  // the runtime infers the type
  }
}

/// A model of this node alone, whose constants are graph inputs.
Model ModelOfNode(const Model& model, const Node& node, const std::vector<NamedTensor>& inputs) {
  Model single = ModelForNode(model, node);
  for (const NamedTensor& input : inputs) {
    single.graph.AddInput(input.name, {.type = input.tensor.type(), .shape = input.tensor.shape()});
  }
  AddTheNode(single, node);
  return single;
}

}  // namespace

Result<std::vector<Tensor>> RuntimeEvaluator::Evaluate(const Model& model, const Node& node,
                                                       const std::vector<NamedTensor>& inputs) {
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(ModelOfNode(model, node, inputs),
                                                             {.optimization = Optimization::kOff}, context_));
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> values, session.Run(inputs, context_));
  std::vector<Tensor> outputs;
  for (const std::string& name : node.outputs()) {
    const auto value = std::find_if(values.begin(), values.end(), [&](const NamedTensor& v) { return v.name == name; });
    outputs.push_back(value == values.end() ? Tensor() : value->tensor);
  }
  return outputs;
}

Result<std::vector<ValueInfo>> RuntimeEvaluator::InferOutputs(const Model& model, const Node& node) {
  std::vector<ValueInfo> infos(node.outputs().size());
  if (context_.custom_ops == nullptr) return infos;
  Model single = ModelForNode(model, node);
  for (const std::string& input : node.inputs()) {
    if (input.empty() || single.graph.HasTensor(input)) continue;
    if (const Tensor* constant = model.graph.Initializer(input)) {
      single.graph.SetInitializer(input, *constant);  // shapes may follow from it
      continue;
    }
    ValueInfo info = *model.graph.Info(input);
    info.dim_names.clear();  // where a size has a name, shape functions of libraries end without a shape
    single.graph.AddInput(input, std::move(info));
  }
  AddTheNode(single, node);
  PREON_ASSIGN_OR_RETURN(const Session session,
                         Session::OpenModel(single, {.optimization = Optimization::kOff}, context_));
  for (const TensorSpec& spec : session.outputs()) {
    ValueInfo& info = infos[static_cast<size_t>(std::ranges::find(node.outputs(), spec.name) - node.outputs().begin())];
    info.type = spec.type;
    if (!spec.shape.empty()) info.shape = spec.shape;  // a shape that the runtime does not know is empty, too
  }
  return infos;
}

}  // namespace preon
