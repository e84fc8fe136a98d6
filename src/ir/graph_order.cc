#include <algorithm>
#include <queue>

#include "ir/graph.h"

namespace preon {
namespace {

Status UndefinedInput(const Node& node, const std::string& tensor) {
  return Error(ErrorId::kModelInvalid, "node ", node.name, " reads tensor '", tensor, "' that nothing writes");
}

// What a node needs before it can run: its inputs and what its sub-graphs read.
std::vector<std::string> Needs(const Node& node) {
  std::vector<std::string> needs = node.Captures();
  for (const std::string& tensor : node.inputs()) {
    if (!tensor.empty()) needs.push_back(tensor);
  }
  return needs;
}

}  // namespace

Status Graph::SortTopologically() {
  // Kahn's algorithm; among the nodes that are ready the earliest comes first, so a sorted graph stays as it is.
  std::map<const Node*, size_t> position, missing;
  for (size_t index = 0; index < nodes_.size(); ++index) position[nodes_[index].get()] = index;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (const auto& node : nodes_) {
    size_t waiting = 0;
    for (const std::string& tensor : Needs(*node)) {
      if (Producer(tensor) != nullptr) {
        ++waiting;
      } else if (!IsSource(tensor)) {
        return UndefinedInput(*node, tensor);
      }
    }
    missing[node.get()] = waiting;
    if (waiting == 0) ready.push(position[node.get()]);
  }

  std::vector<size_t> sorted;
  while (!ready.empty()) {
    const size_t index = ready.top();
    ready.pop();
    sorted.push_back(index);
    for (const std::string& tensor : nodes_[index]->outputs_) {
      const auto readers = readers_.find(tensor);
      if (tensor.empty() || readers == readers_.end()) continue;
      for (const Node* reader : readers->second) {
        if (--missing[reader] == 0) ready.push(position[reader]);
      }
    }
  }
  if (sorted.size() < nodes_.size()) {
    const auto stuck = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& n) { return missing[n.get()] > 0; });
    return Error(ErrorId::kModelInvalid, "node ", (*stuck)->name, " depends on its own output, or on a cycle of nodes");
  }
  NodeList nodes;
  nodes.reserve(sorted.size());
  for (size_t index : sorted) nodes.push_back(std::move(nodes_[index]));
  nodes_ = std::move(nodes);
  Renumber();
  return Status::Ok();
}

Status Graph::CheckIntegrity() const {
  std::set<std::string_view> defined;
  for (const std::string& tensor : inputs_) defined.insert(tensor);
  for (const auto& [tensor, value] : initializers_) defined.insert(tensor);
  defined.insert(opaque_constants.begin(), opaque_constants.end());
  std::set<std::string_view> names;
  for (const auto& node : nodes_) {
    if (!names.insert(node->name).second) return Error(ErrorId::kModelInvalid, "two nodes are named ", node->name);
    for (const std::string& tensor : Needs(*node)) {
      if (defined.count(tensor) > 0) continue;
      if (Producer(tensor) == nullptr) return UndefinedInput(*node, tensor);
      return Error(ErrorId::kModelInvalid, "node ", node->name, " reads tensor '", tensor, "' before it is written");
    }
    for (const std::string& tensor : node->outputs()) {
      if (!tensor.empty() && !defined.insert(tensor).second) {
        return Error(ErrorId::kModelInvalid, "node ", node->name, " writes tensor '", tensor,
                     "' that is defined already");
      }
    }
  }
  for (const std::string& tensor : outputs_) {
    if (defined.count(tensor) == 0) return Error(ErrorId::kModelInvalid, "nothing writes graph output '", tensor, "'");
  }
  return CheckIndex();
}

Status Graph::CheckIndex() const {
  Graph fresh;  // a second index, built from the nodes alone
  fresh.nodes_.reserve(nodes_.size());
  std::map<const Node*, const Node*> original;
  for (const auto& node : nodes_) {
    fresh.nodes_.push_back(std::make_unique<Node>(*node));
    original[fresh.nodes_.back().get()] = node.get();
  }
  fresh.Reindex();
  const auto differs = [](std::string_view what, std::string_view where) {
    return Error(ErrorId::kInternal, "the graph's index of ", what, " is stale at '", where, "'");
  };
  if (producers_.size() != fresh.producers_.size()) return differs("producers", "");
  for (const auto& [tensor, node] : fresh.producers_) {
    if (Producer(tensor) != original[node]) return differs("producers", tensor);
  }
  if (nodes_by_name_.size() != fresh.nodes_by_name_.size()) return differs("names", "");
  for (const auto& [node_name, node] : fresh.nodes_by_name_) {
    if (FindNode(node_name) != original[node]) return differs("names", node_name);
  }
  if (readers_.size() != fresh.readers_.size()) return differs("readers", "");
  for (const auto& [tensor, nodes] : fresh.readers_) {
    std::vector<const Node*> wanted;
    for (const Node* node : nodes) wanted.push_back(original[node]);
    const auto readers = readers_.find(tensor);
    if (readers == readers_.end() ||
        !std::is_permutation(wanted.begin(), wanted.end(), readers->second.begin(), readers->second.end())) {
      return differs("readers", tensor);
    }
  }
  for (size_t index = 1; index < nodes_.size(); ++index) {
    if (nodes_[index - 1]->order_ >= nodes_[index]->order_) return differs("order", nodes_[index]->name);
  }
  return Status::Ok();
}

}  // namespace preon
