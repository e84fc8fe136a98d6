// Constants of dynamic quantization: codes, scales and zero points in the shapes that the integer operators read.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/qdq_writer.h"

namespace preon {

/// Names of a constant's codes, scales and zero points; of an activation's too.
struct CodeNames {
  std::string codes, scale, zero_point;
};

class DynamicConstants {
 public:
  DynamicConstants(Graph& graph, const QuantPlan& plan) : graph_(graph), plan_(plan), writer_(graph) {}

  /// What the node reads at input `index`, encoded once however many nodes read it. Scales: one, or one per index of
  /// the plan's axis; shaped so that they go over rows of a table, channels of a convolution.
  Result<CodeNames> Encode(const Node& node, size_t index);

 private:
  Graph& graph_;
  const QuantPlan& plan_;
  QdqWriter writer_;
  std::map<std::string, CodeNames> known_;
};

}  // namespace preon
