#include "runtime/runtime_evaluator.h"

#include <algorithm>

#include "runtime/session.h"

namespace preon {
namespace {

/// A model of this node alone, whose constants are graph inputs.
Model ModelOfNode(const Model& model, const Node& node, const std::vector<NamedTensor>& inputs) {
  Model single = model.ForPart();
  single.source_path = StrCat(model.source_path.empty() ? "model" : model.source_path, ": node ", node.name);
  single.graph.name = "node";
  for (const NamedTensor& input : inputs) {
    single.graph.AddInput(input.name, {.type = input.tensor.type(), .shape = input.tensor.shape()});
  }
  Node* copy = single.graph.AddNode(node.op_type, node.inputs(), node.outputs(), node.name, node.domain);
  copy->attributes = node.attributes;
  for (const std::string& output : node.outputs()) {
    if (!output.empty()) single.graph.AddOutput(output, {});  // the runtime infers the type
  }
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

}  // namespace preon
