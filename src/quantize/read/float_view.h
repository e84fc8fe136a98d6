// FloatView: a graph, float or quantized by any tool, as it would be without its quantizers, and the codes on the way.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/read/stored_codes.h"

namespace preon {

/// Name of the constant that such codes stand for.
std::string WithoutCodesSuffix(const std::string& codes);

class FloatView {
 public:
  /// @param graph  lives on
  explicit FloatView(const Graph& graph);

  const Graph& graph() const { return graph_; }
  /// Without quantizers, dequantizers and Constant nodes.
  const std::vector<const Node*>& nodes() const { return nodes_; }
  /// The name that a tensor's values have without quantizers: that of the tensor in front of a pair; of constant codes
  /// the constant's own, without the "_quantized" that tools put behind it; of what ends as a graph output, that.
  const std::string& NameOf(const std::string& tensor) const;
  /// The node among these that computes a tensor, by NameOf; null for what no node computes.
  const Node* ProducerOf(const std::string& name) const;
  /// By NameOf: all codes that a tensor is rounded to, in graph order; nothing of tensors that stay float.
  const std::map<std::string, std::vector<StoredCodes>>& codes() const { return codes_; }
  /// Those of one tensor; empty where it stays float.
  const std::vector<StoredCodes>& CodesOf(const std::string& name) const;
  /// By NameOf: constants, as they are stored: values, or codes.
  const std::map<std::string, const Tensor*>& constants() const { return constants_; }
  /// Values of such a constant; codes are decoded. An empty tensor where there are none to decode by.
  Tensor ValuesOf(const std::string& constant) const;

 private:
  void Name(const Node& node);
  void AddCodes(const Node& node, const std::string& name);
  void NameOutputs();

  const Graph& graph_;
  std::vector<const Node*> nodes_;
  std::map<std::string, const Node*> producers_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::vector<StoredCodes>> codes_;
  std::map<std::string, const Tensor*> constants_;
};

}  // namespace preon
