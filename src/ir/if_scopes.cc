#include "ir/if_scopes.h"

#include <algorithm>

namespace preon {

IfScopes::IfScopes(const Graph& graph) : graph_(graph), scopes_(graph.nodes().size(), kOutside) {
  for (const auto& node : graph.nodes()) {
    const size_t position = positions_.size();
    positions_.emplace(node.get(), position);
    if (!node->IsFlatIf()) continue;
    if_index_.emplace(node.get(), ifs_.size());
    ifs_.push_back({node->name, position});
  }
  if (ifs_.empty()) return;
  do {
    PlaceByReaders();
  } while (PlaceUnread());
}

int IfScopes::BranchScope(const Node& flat_if, size_t branch) const {
  return static_cast<int>(1 + 2 * if_index_.at(&flat_if) + branch);
}

int IfScopes::ReadScope(const Use& use) const {
  const int scope = ScopeOf(*use.node);
  if (use.captured || use.input == 0 || !use.node->IsFlatIf()) return scope;
  return BranchScope(*use.node, (use.input - 1) / use.node->outputs().size());
}

int IfScopes::ReadScope(std::string_view tensor) const {
  int scope = graph_.IsOutput(tensor) ? kOutside : kNowhere;
  for (const Use& use : graph_.Uses(tensor)) {
    if (ScopeOf(*use.node) != kNowhere) scope = Common(scope, ReadScope(use));
  }
  return scope;
}

int IfScopes::Common(int a, int b) const {
  if (a == kNowhere || b == kNowhere) return std::max(a, b);
  const auto depth = [this](int scope) {
    int steps = 0;
    for (; scope != kOutside; scope = Parent(scope)) ++steps;
    return steps;
  };
  int depth_a = depth(a), depth_b = depth(b);
  while (a != b) {
    int& deeper = depth_a >= depth_b ? a : b;
    --(depth_a >= depth_b ? depth_a : depth_b);
    deeper = Parent(deeper);
  }
  return a;
}

// A branch is written where its If stands, so nothing behind the If can be in it.
int IfScopes::HomeOf(size_t position) const {
  const std::optional<IfBranch>& home = graph_.nodes()[position]->home;
  if (!home) return kNowhere;
  if (home->if_node.empty()) return kOutside;
  const Node* flat_if = graph_.FindNode(home->if_node);
  if (flat_if == nullptr || !flat_if->IsFlatIf() || positions_.at(flat_if) <= position) return kNowhere;
  return BranchScope(*flat_if, home->branch);
}

void IfScopes::PlaceByReaders() {
  std::fill(scopes_.begin(), scopes_.end(), kNowhere);
  for (size_t position = scopes_.size(); position-- > 0;) {
    const Node& node = *graph_.nodes()[position];
    int scope = pinned_.count(position) > 0 ? kOutside : HomeOf(position);
    for (const std::string& tensor : node.outputs()) {
      if (!tensor.empty()) scope = Common(scope, ReadScope(tensor));
    }
    // What leads to an If must find it somewhere.
    scopes_[position] = scope == kNowhere && node.IsFlatIf() ? kOutside : scope;
  }
}

// The place of a node that leads nowhere; kNowhere where what it reads is not to be had in one place.
int IfScopes::DeepestProducer(size_t position) const {
  const Node& node = *graph_.nodes()[position];
  std::vector<std::string> tensors = node.Captures();
  tensors.insert(tensors.end(), node.inputs().begin(), node.inputs().end());
  int deepest = kOutside;
  for (const std::string& tensor : tensors) {
    const Node* producer = graph_.Producer(tensor);
    if (producer == nullptr) continue;
    const int scope = ScopeOf(*producer);
    if (IsWithin(scope, deepest))
      deepest = scope;
    else if (!IsWithin(deepest, scope))
      return kNowhere;
  }
  for (const std::string& tensor : tensors) {
    const Node* producer = graph_.Producer(tensor);
    if (producer == nullptr || ScopeOf(*producer) == deepest) continue;
    if (positions_.at(producer) > PositionOfIf(deepest)) return kNowhere;
  }
  return deepest;
}

bool IfScopes::PlaceUnread() {
  for (size_t position = 0; position < scopes_.size(); ++position) {
    if (scopes_[position] != kNowhere) continue;
    scopes_[position] = DeepestProducer(position);
    if (scopes_[position] != kNowhere) continue;
    pinned_.insert(position);
    return true;
  }
  return false;
}

IfBranch IfScopes::BranchOf(int scope) const {
  if (scope <= kOutside) return {};
  return {ifs_[static_cast<size_t>(scope - 1) / 2].name, static_cast<size_t>(scope - 1) % 2};
}

}  // namespace preon
