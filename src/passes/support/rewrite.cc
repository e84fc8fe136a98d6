#include "passes/support/rewrite.h"

#include <algorithm>

namespace preon {
namespace {

size_t OutputIndex(const Node& producer, const std::string& tensor) {
  const std::vector<std::string>& outputs = producer.outputs();
  return static_cast<size_t>(std::find(outputs.begin(), outputs.end(), tensor) - outputs.begin());
}

}  // namespace

bool CanReplaceTensor(const Graph& graph, std::string_view from, std::string_view to) {
  if (graph.HasCapturedUse(from)) return false;
  if (!graph.IsOutput(from)) return true;
  return graph.Producer(to) != nullptr && !graph.IsOutput(to) && !graph.HasCapturedUse(to);
}

// Names by value: callers pass those of nodes, which change here.
void ReplaceTensor(Graph& graph, std::string from, std::string to) {
  graph.ReplaceUses(from, to);
  if (!graph.IsOutput(from)) return;
  Node* producer = graph.Producer(to);
  graph.SetOutput(producer, OutputIndex(*producer, to), from);
  graph.ReplaceUses(to, from);
}

bool Bypass(Graph& graph, Node& node, size_t index) {
  const std::string from = node.output(), to = node.input(index);
  if (!CanReplaceTensor(graph, from, to)) return false;
  ReplaceTensor(graph, from, to);
  graph.RemoveNode(&node);
  return true;
}

void Absorb(Node& keep, const Node& gone) {
  for (const std::string& origin : gone.origins) {
    if (std::find(keep.origins.begin(), keep.origins.end(), origin) == keep.origins.end())
      keep.origins.push_back(origin);
  }
}

void MergeIntoProducer(Graph& graph, Node& node, size_t index) {
  const std::string inner = node.input(index);
  Node* producer = graph.Producer(inner);
  Absorb(*producer, node);
  graph.SetOutput(producer, OutputIndex(*producer, inner), node.output());
  graph.RemoveNode(&node);
}

void Become(Graph& graph, Node& node, std::string op_type, std::vector<std::string> inputs,
            std::map<std::string, AttributeValue> attributes, std::string domain) {
  node.op_type = std::move(op_type);
  node.domain = std::move(domain);
  node.attributes = std::move(attributes);
  node.residue.clear();
  graph.SetInputs(&node, std::move(inputs));
}

void AbsorbAll(Graph& graph, std::span<Node* const> nodes, Node& last) {
  std::vector<Node*> others;
  for (Node* node : nodes) {
    if (node != &last) others.push_back(node);
  }
  for (const Node* node : others) Absorb(last, *node);
  // Readers before producers: a node can go once nothing reads what it writes.
  while (!others.empty()) {
    const auto unread = std::find_if(others.begin(), others.end(), [&](const Node* node) {
      return std::all_of(node->outputs().begin(), node->outputs().end(),
                         [&](const std::string& tensor) { return graph.UseCount(tensor) == 0; });
    });
    PREON_CHECK(unread != others.end());
    graph.RemoveNode(*unread);
    others.erase(unread);
  }
}

std::string AddIntsConstant(Graph& graph, std::string_view wanted, const std::vector<int64_t>& values) {
  std::string name = graph.UniqueTensorName(wanted);
  graph.SetInitializer(name, Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values));
  return name;
}

void SetConstantInput(Graph& graph, Node& node, size_t index, Tensor value, std::string_view wanted) {
  const std::string old = node.input(index);
  const bool own = !old.empty() && graph.Initializer(old) != nullptr && graph.UseCount(old) == 1;
  const std::string tensor = own ? old : graph.UniqueTensorName(wanted);
  graph.SetInitializer(tensor, std::move(value));
  if (!own) graph.SetInput(&node, index, tensor);
}

void ReplaceByConstants(Graph& graph, Node& node, std::vector<Tensor> values) {
  const std::vector<std::string> tensors = node.outputs();
  for (size_t output = 0; output < tensors.size(); ++output) {
    if (tensors[output].empty()) continue;
    graph.RenameOutput(tensors[output], graph.UniqueTensorName(tensors[output]));
    graph.SetInitializer(tensors[output], std::move(values[output]));
  }
  graph.RemoveNode(&node);
}

}  // namespace preon
