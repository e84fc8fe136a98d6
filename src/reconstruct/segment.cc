#include "reconstruct/segment.h"

#include <algorithm>
#include <functional>

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
  std::set<std::string> seen;
  // What a branch of an If computes may not be possible without its condition: what the branch reads is kept instead.
  const std::function<void(const std::string&)> need = [&](const std::string& tensor) {
    if (!before.contains(tensor) || !seen.insert(tensor).second) return;
    const Node* producer = graph.Producer(tensor);
    if (producer == nullptr || !producer->IsInBranch()) {
      alive.insert(StoredAs(graph, tensor));
      return;
    }
    for (const std::string& read : TensorsRead(graph, *producer)) need(read);
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
  // Sizes decide which branch of an If is taken, and the runtime fails at the other one where it knows them.
  const bool as_in_model =
      std::ranges::any_of(needed, [](const Node* node) { return node->HasSubgraph() || node->IsFlatIf(); });
  for (const std::string& input : inputs) {
    const ValueInfo* info = graph.Info(input);
    cut.AddInput(input, !as_in_model      ? known.at(input)
                        : info != nullptr ? *info
                                          : ValueInfo{.type = known.at(input).type});
  }
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
