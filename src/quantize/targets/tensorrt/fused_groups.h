// What TensorRT computes in the kernel of a layer behind its product: activation functions, and in convolutions the sum
// with one other tensor (docs/design/tensorrt.md).
#pragma once

#include <map>
#include <string>

#include "ir/graph.h"
#include "quantize/targets/tensorrt/tensorrt_layers.h"

namespace preon {

using TensorrtRoles = std::map<const Node*, TensorrtTraits>;

class FusedGroups {
 public:
  /// @param roles  of all nodes
  FusedGroups(const Graph& graph, const TensorrtRoles& roles);

  /// The layer in whose kernel the tensor is computed; null: in none.
  const Node* LayerOf(const std::string& tensor) const;
  /// Is the node part of a layer's kernel, or that layer?
  bool Holds(const Node& node) const { return LayerOf(node.output()) != nullptr; }
  /// What the kernel adds: the operand of this Add that the kernel does not compute; null: it adds none here.
  const std::string* SummandOf(const Node& add) const;

 private:
  void Join(const Node& node);
  void JoinAsSum(const Node& node, const std::string& first, const std::string& second);
  bool CanAdd(const Node& node, const std::string& own, const std::string& other) const;

  const Graph& graph_;
  std::map<std::string, const Node*> layers_;    // by tensor
  std::map<const Node*, std::string> summands_;  // by Add
  std::map<const Node*, const Node*> sums_;      // by layer: its Add
  std::map<const Node*, int> depths_;            // nodes on the longest path from an input
};

}  // namespace preon
