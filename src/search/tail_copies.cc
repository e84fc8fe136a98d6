#include "search/tail_copies.h"

#include <algorithm>
#include <set>
#include <utility>

#include "search/outputs_as_floats.h"
#include "search/sum_of_squares.h"

namespace preon {
namespace {

constexpr size_t kMostEntries = 16, kMostCopiedNodes = 1000;

// In topological order.
std::vector<const Node*> TailNodes(const Graph& graph, const QuantPlan& plan) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  std::set<const Node*> in_front;  // an integer node follows, or is it
  std::vector<const Node*> tail;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    bool followed = integer.contains((*node)->name);
    for (const std::string& output : (*node)->outputs())
      for (const Use& use : graph.Uses(output)) followed |= in_front.contains(use.node);
    if (followed)
      in_front.insert(node->get());
    else
      tail.push_back(node->get());
  }
  std::ranges::reverse(tail);
  return tail;
}

std::set<std::string> Entries(const Graph& graph, const std::vector<const Node*>& tail) {
  const std::set<const Node*> in_tail(tail.begin(), tail.end());
  std::set<std::string> entries;
  for (const Node* node : tail) {
    for (const std::string& input : node->inputs()) {
      const Node* producer = graph.Producer(input);
      if (producer != nullptr && !in_tail.contains(producer) && graph.TypeOf(input) == DataType::kFloat)
        entries.insert(input);
    }
  }
  return entries;
}

ValueInfo OfAnySize(const Graph& graph, const std::string& tensor) {
  ValueInfo info;
  info.type = DataType::kFloat;
  if (const std::optional<Shape> shape = graph.ShapeOf(tensor)) info.shape = Shape(shape->size(), kDynamicDim);
  return info;
}

std::string AddSumOfDifference(Graph& graph, const std::string& copied, const std::string& output) {
  const std::string difference = graph.UniqueTensorName(copied + "_difference");
  graph.AddNode("Sub", {copied, output}, {difference});
  return AddSumOfSquares(graph, difference);
}

TailCopy AddCopy(Graph& graph, const std::vector<const Node*>& tail, const std::vector<std::string>& outputs,
                 const std::string& entry) {
  TailCopy copy{.tensor = entry, .input = graph.UniqueTensorName(entry + "_noisy"), .sums = {}};
  graph.AddInput(copy.input, OfAnySize(graph, entry));
  std::map<std::string, std::string> renamed = {{entry, copy.input}};
  for (const Node* node : tail) {
    std::vector<std::string> inputs = node->inputs(), results = node->outputs();
    bool differs = false;
    for (std::string& input : inputs) {
      const auto found = renamed.find(input);
      if (found == renamed.end()) continue;
      input = found->second;
      differs = true;
    }
    if (!differs) continue;
    for (std::string& result : results) {
      if (result.empty()) continue;
      const std::string fresh = graph.UniqueTensorName(result + "_copy");
      renamed.emplace(std::exchange(result, fresh), fresh);
    }
    graph.AddNode(node->op_type, inputs, results, "", node->domain)->attributes = node->attributes;
  }
  for (const std::string& output : outputs) {
    const auto copied = renamed.find(output);
    if (copied != renamed.end() && graph.TypeOf(output) == DataType::kFloat)
      copy.sums.emplace(output, AddSumOfDifference(graph, copied->second, output));
  }
  return copy;
}

}  // namespace

std::vector<TailCopy> AddTailCopies(Graph& graph, const QuantPlan& plan, const Graph& quantized) {
  const std::vector<const Node*> tail = TailNodes(graph, plan);
  const std::set<std::string> entries = Entries(graph, tail);
  const auto known = [&](const std::string& tensor) { return quantized.HasTensor(tensor); };
  const auto branches = [](const Node* node) { return node->HasSubgraph() || node->IsFlatIf() || node->IsInBranch(); };
  std::vector<TailCopy> copies;
  if (entries.size() < 2 || entries.size() > kMostEntries || !std::ranges::all_of(entries, known) ||
      entries.size() * tail.size() > kMostCopiedNodes || std::ranges::any_of(tail, branches))
    return copies;
  const std::vector<std::string> outputs = OutputsAsFloats(graph);
  for (const std::string& entry : entries) copies.push_back(AddCopy(graph, tail, outputs, entry));
  return copies;
}

}  // namespace preon
