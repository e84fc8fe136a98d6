// The causes for which the runtime computes a node of a Q/DQ graph in float or in slow integers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/code_groups.h"

namespace preon {

/// A node of a Q/DQ graph with the codes at its inputs and its output.
struct NodeInContext {
  const Graph& graph;    ///< with its QuantizeLinear and DequantizeLinear nodes
  const Graph& floats;   ///< the same without them (WithoutPairs)
  const Node& node;      ///< of `graph`
  const Node& in_float;  ///< of `floats`
  OpTraits traits;       ///< of `in_float`

  bool is_linear() const { return node.Is("Conv") || node.Is("MatMul") || node.Is("Gemm"); }
  /// Inputs that carry data: for MatMul both, where neither is constant.
  std::vector<size_t> data_inputs() const;
};

struct LintRule {
  std::string_view name;    ///< "no_output_pair"
  std::string_view advice;  ///< what to do about it; one sentence
  std::string_view pass;    ///< of `quantize/qdq_passes`, which fixes it with the same results; "" = none
  /// Where the rule explains the node: one clause that names the tensor or node at fault.
  std::optional<std::string> (*explain)(const NodeInContext& at) = nullptr;
  bool gains_nothing = false;  ///< fixing it makes nothing faster
};

/// In the order in which they are asked; the first that explains a node is its cause, and the last explains any.
std::span<const LintRule> LintRules();

/// One of them. `signed_activations` and `run_time_scales` explain nodes that compute in integers, but slowly, too.
const LintRule& RuleNamed(std::string_view name);

/// The graph without Q/DQ: readers of a pair read what was quantized, readers of constant codes a constant of zeros of
/// the same shape. For questions of structure; its values mean nothing.
Graph WithoutPairs(const Graph& graph);

}  // namespace preon
