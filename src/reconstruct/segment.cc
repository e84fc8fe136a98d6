#include "reconstruct/segment.h"

namespace preon {
namespace {

// Inputs and what sub-graphs read; constants are left out.
std::vector<std::string> TensorsRead(const Graph& graph, const Node& node) {
  std::vector<std::string> read = node.inputs();
  for (std::string& captured : node.Captures()) read.push_back(std::move(captured));
  std::erase_if(read, [&](const std::string& tensor) {
    return tensor.empty() || (graph.Producer(tensor) == nullptr && !graph.IsInput(tensor));
  });
  return read;
}

void CopyConstants(const Graph& from, const Node& node, Graph& to) {
  std::vector<std::string> read = node.inputs();
  for (std::string& captured : node.Captures()) read.push_back(std::move(captured));
  for (const std::string& tensor : read) {
    if (const Tensor* constant = from.Initializer(tensor)) to.SetInitializer(tensor, *constant);
  }
}

}  // namespace

const std::string& StoredAs(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  if (producer == nullptr || producer->op_type != "DequantizeLinear") return tensor;
  const std::string& codes = producer->input(0);
  return graph.Initializer(codes) == nullptr ? codes : tensor;
}

std::set<std::string> AliveBefore(const Graph& graph, const Node& node) {
  std::set<std::string> before(graph.inputs().begin(), graph.inputs().end()), alive;
  bool passed = false;
  const auto need = [&](const std::string& tensor) {
    if (before.contains(tensor)) alive.insert(StoredAs(graph, tensor));
  };
  for (const auto& other : graph.nodes()) {
    passed = passed || other.get() == &node;
    if (!passed) {
      before.insert(other->outputs().begin(), other->outputs().end());
      continue;
    }
    for (const std::string& tensor : TensorsRead(graph, *other)) need(tensor);
  }
  for (const std::string& output : graph.outputs()) need(output);
  // A DequantizeLinear behind `node` may read codes that are alive, and constants are always there.
  std::erase_if(alive, [&](const std::string& tensor) {
    const Node* producer = graph.Producer(tensor);
    return producer != nullptr && TensorsRead(graph, *producer).empty();
  });
  return alive;
}

Model Segment(const Model& model, const std::map<std::string, ValueInfo>& known,
              const std::vector<std::string>& wanted) {
  const Graph& graph = model.graph;
  std::set<const Node*> needed;
  std::set<std::string> inputs;
  std::vector<std::string> open = wanted;
  while (!open.empty()) {
    const std::string tensor = std::move(open.back());
    open.pop_back();
    if (known.contains(tensor)) {
      inputs.insert(tensor);
      continue;
    }
    const Node* producer = graph.Producer(tensor);
    if (producer == nullptr || !needed.insert(producer).second) continue;
    for (std::string& read : TensorsRead(graph, *producer)) open.push_back(std::move(read));
  }
  Model segment = model.ForPart();
  segment.weight_file = model.weight_file;
  Graph& cut = segment.graph;
  for (const std::string& input : inputs) cut.AddInput(input, known.at(input));
  for (const auto& node : graph.nodes()) {
    if (!needed.contains(node.get())) continue;
    CopyConstants(graph, *node, cut);
    Node* copy = cut.AddNode(node->op_type, node->inputs(), node->outputs(), node->name, node->domain);
    for (const auto& [name, value] : node->attributes) cut.SetAttribute(copy, name, value);
    copy->residue = node->residue;
    copy->home = node->home;
  }
  for (const std::string& tensor : wanted) {
    const ValueInfo* info = graph.Info(tensor);
    cut.AddOutput(tensor, info != nullptr ? *info : ValueInfo());
  }
  return segment;
}

}  // namespace preon
