// MatchedNodes: which node, tensor and constant of one model is which of another one, whatever tools have renamed.
#pragma once

#include <map>
#include <set>
#include <string>

#include "quantize/read/float_view.h"

namespace preon {

/// Tensors of one model and what is the same in the other; each is in one pair at most.
class TensorPairs {
 public:
  /// Nothing where one of them is in a pair already, or "".
  void Add(const std::string& of_a, const std::string& of_b);
  bool Has(const std::string& of_a, const std::string& of_b) const;
  bool HasB(const std::string& of_b) const { return b_.contains(of_b); }
  const std::map<std::string, std::string>& by_a() const { return by_a_; }

 private:
  std::map<std::string, std::string> by_a_;
  std::set<std::string> b_;
};

class MatchedNodes {
 public:
  /// Tensors of the same name are the same; graph inputs and outputs of other names go by their position. Nodes are the
  /// same when they have the same name or the same result; then, in graph order, where they compute the same operator
  /// from the same tensor, apart from activation functions and BatchNormalization that one model alone has.
  MatchedNodes(const FloatView& a, const FloatView& b);

  /// The node of b; null: there is none.
  const Node* InB(const Node& of_a) const;
  bool HasInB(const Node& of_b) const { return matched_b_.contains(&of_b); }
  /// Constants, and what matching nodes read and write.
  const TensorPairs& tensors() const { return tensors_; }
  /// True where what matching nodes read is the same, apart from folded nodes that one model alone has.
  bool SameInput(const std::string& of_a, const std::string& of_b) const;

 private:
  void MatchByName();
  void MatchByTensors();
  void Match(const Node& of_a, const Node& of_b);
  void MatchInputs(const Node& of_a, const Node& of_b);

  const FloatView &a_, &b_;
  std::map<const Node*, const Node*> matched_a_;
  std::set<const Node*> matched_b_;
  TensorPairs written_;  // tensors of the same name, and what matching nodes write
  TensorPairs tensors_;
};

}  // namespace preon
