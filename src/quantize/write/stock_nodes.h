// Inside quantize/: what writes the nodes of stock_form.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Adds nodes and constants under names that begin with `base`.
class NodeWriter {
 public:
  NodeWriter(Graph& graph, const std::string& base) : graph_(graph), base_(base) {}

  std::string Add(const std::string& op, std::vector<std::string> inputs,
                  const std::map<std::string, AttributeValue>& attributes = {}) {
    Node* node = graph_.AddNode(op, std::move(inputs), {graph_.UniqueTensorName(StrCat(base_, "_", op, "_Output"))},
                                StrCat(base_, "_", op));
    node->attributes = attributes;
    return node->output();
  }
  std::string Cast(const std::string& x, DataType type) {
    return Add("Cast", {x}, {{"to", static_cast<int64_t>(type)}});
  }

  std::string Constant(const std::string& ending, Tensor value) {
    const std::string name = graph_.UniqueTensorName(base_ + ending);
    graph_.SetInitializer(name, std::move(value));
    return name;
  }
  std::string Float(const std::string& ending, float value) { return Constant(ending, Tensor::ScalarFloat(value)); }
  std::string Double(const std::string& ending, double value) {
    return Constant(ending, Tensor::From<double>(DataType::kDouble, {}, {&value, 1}));
  }
  std::string Ints(const std::string& ending, const std::vector<int64_t>& values) {
    return Constant(ending, Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values));
  }

  /// The last node writes `y`.
  void Finish(const std::string& result, const std::string& y) { graph_.SetOutput(graph_.Producer(result), 0, y); }

 private:
  Graph& graph_;
  const std::string base_;
};

}  // namespace preon
