// Where the nodes of a graph with flat Ifs belong: outside, or in which branch. Read by writers, and by whoever wants
// to know what runs together.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Scopes are numbered: kOutside, then two per flat If. A node is in the innermost scope that holds its home and all
/// its readers; one without either (an observer on the side) is with what it reads. Valid until the graph changes.
class IfScopes {
 public:
  static constexpr int kOutside = 0;

  explicit IfScopes(const Graph& graph);

  int ScopeOf(const Node& node) const { return scopes_[positions_.at(&node)]; }
  int BranchScope(const Node& flat_if, size_t branch) const;
  /// Where a flat If reads its branches' outputs: in the branch. Others: where the node is.
  int ReadScope(const Use& use) const;
  /// Innermost scope that holds all readers of the tensor (kOutside for graph outputs); kNowhere without any.
  int ReadScope(std::string_view tensor) const;
  static constexpr int kNowhere = -1;

  /// The innermost scope that holds both; kNowhere adds nothing. From here on answers hold when the graph has changed.
  int Common(int a, int b) const;
  bool IsWithin(int inner, int outer) const { return Common(inner, outer) == outer; }
  /// The scope around a branch scope.
  int Parent(int scope) const { return scopes_[PositionOfIf(scope)]; }
  /// The scope as nodes name it (Node::home).
  IfBranch BranchOf(int scope) const;

 private:
  size_t PositionOfIf(int scope) const { return ifs_[static_cast<size_t>(scope - 1) / 2].position; }
  int HomeOf(size_t position) const;
  void PlaceByReaders();
  bool PlaceUnread();
  int DeepestProducer(size_t position) const;

  const Graph& graph_;
  std::unordered_map<const Node*, size_t> positions_;
  struct FlatIf {
    std::string name;
    size_t position;
  };
  std::vector<FlatIf> ifs_;
  std::unordered_map<const Node*, size_t> if_index_;
  std::vector<int> scopes_;  // by position
  std::set<size_t> pinned_;  // nodes that have to be outside, since no branch can hold them
};

}  // namespace preon
