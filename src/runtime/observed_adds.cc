#include "runtime/observed_adds.h"

#include <algorithm>
#include <array>

#include "runtime/observe_add_op.h"

namespace preon {
namespace {

bool IsObserve(const Node* node) {
  return node != nullptr && node->op_type == kObserveOp && node->domain == kObserveDomain;
}

/// The observer right before the Add, if it observes for the Add only and runs where the Add does.
Node* ObserverBefore(const Graph& graph, const Node& add, const std::string& input) {
  Node* producer = graph.Producer(input);
  return IsObserve(producer) && graph.UseCount(input) == 1 && producer->home == add.home ? producer : nullptr;
}

Node* ObserverBehind(const Graph& graph, const Node& add) {
  if (graph.UseCount(add.output()) != 1 || graph.IsOutput(add.output())) return nullptr;
  Node* reader = graph.Uses(add.output()).front().node;
  return IsObserve(reader) ? reader : nullptr;
}

/// Facts of a tensor; an observer in its path may hold them apart from its name.
const ValueInfo* InfoOf(const Graph& graph, const std::string& tensor) {
  const ValueInfo* info = graph.Info(tensor);
  if (info != nullptr && info->shape) return info;
  const Node* producer = graph.Producer(tensor);
  return IsObserve(producer) ? InfoOf(graph, producer->input(0)) : nullptr;
}

bool SameKnownShape(const ValueInfo* a, const ValueInfo* b) {
  if (a == nullptr || b == nullptr || a->shape != b->shape) return false;
  for (size_t axis = 0; axis < a->shape->size(); ++axis) {
    if ((*a->shape)[axis] != kDynamicDim) continue;
    const auto name = [&](const ValueInfo* info) {
      return axis < info->dim_names.size() ? info->dim_names[axis] : std::string();
    };
    if (name(a).empty() || name(a) != name(b)) return false;
  }
  return true;
}

/// Whether the tensor has memory of its own and only one reader.
bool MayBeOverwritten(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  return producer != nullptr && (producer->op_type == "Conv" || producer->op_type == "FusedConv") &&
         graph.UseCount(tensor) == 1;
}

void Fuse(Graph& graph, Node* add) {
  const std::array<Node*, 3> observers = {ObserverBefore(graph, *add, add->input(0)),
                                          ObserverBefore(graph, *add, add->input(1)), ObserverBehind(graph, *add)};
  const auto first = std::find_if(observers.begin(), observers.end(), [](const Node* node) { return node != nullptr; });
  if (first == observers.end()) return;
  const int64_t block = (*first)->Int(kBlockAttribute, 1), channels = (*first)->Int(kChannelsAttribute, 0);
  for (const Node* observer : observers) {
    if (observer == nullptr) continue;
    if (observer->Int(kBlockAttribute, 1) != block || observer->Int(kChannelsAttribute, 0) != channels) return;
  }
  if (block == 1 && !SameKnownShape(InfoOf(graph, add->input(0)), InfoOf(graph, add->input(1)))) return;

  std::vector<std::string> inputs = add->inputs();
  std::vector<int64_t> indices;
  for (const Node* observer : observers) {
    indices.push_back(observer == nullptr ? kNotObserved : observer->Int(kIndexAttribute, 0));
  }
  for (const size_t input : {0, 1}) {
    if (observers[input] != nullptr) inputs[input] = observers[input]->input(0);
  }
  const bool over_second = !MayBeOverwritten(graph, inputs[0]) && MayBeOverwritten(graph, inputs[1]);
  if (over_second) std::swap(inputs[0], inputs[1]), std::swap(indices[0], indices[1]);
  const char* type = MayBeOverwritten(graph, inputs[0]) ? kObserveAddInPlaceOp : kObserveAddOp;
  const std::string sum = (observers[2] != nullptr ? observers[2] : add)->output();

  Node* fused = graph.AddNode(type, inputs, {sum}, "", kObserveDomain, add);
  fused->home = add->home;
  fused->attributes = {{kIndicesAttribute, indices}, {kBlockAttribute, block}, {kChannelsAttribute, channels}};
  for (Node* node : {observers[2], add, observers[0], observers[1]}) {
    if (node != nullptr) graph.RemoveNode(node);
  }
}

}  // namespace

void FuseObservedAdds(Graph& graph) {
  std::vector<Node*> adds;
  for (const auto& node : graph.nodes()) {
    if (node->Is("Add")) adds.push_back(node.get());
  }
  for (Node* add : adds) Fuse(graph, add);
}

}  // namespace preon
