// Lint: of a quantized model, the nodes that the runtime does not compute in fast integers, by cause.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eval/fusion_report.h"
#include "ir/graph.h"

namespace preon {

/// A node with a cause.
struct LintNode {
  std::string node, op;
  std::string kernel;     ///< operator that the runtime runs for it; "" = folded into another one
  std::string detail;     ///< one clause that names the tensor or node at fault
  double macs_share = 0;  ///< share of the model's multiply-accumulates, 0…1
};

/// A cause, with its nodes in graph order.
struct LintFinding {
  std::string rule, advice;
  std::string pass;  ///< that fixes it; "" = none
  std::vector<LintNode> nodes;
  /// Estimated speed of the model without this finding over its speed now; nullopt where nothing can be gained.
  std::optional<double> speedup;
};

struct LintReport {
  int64_t integer_nodes = 0, float_nodes = 0;  ///< without those that the runtime folded away
  double integer_macs_share = 0;
  std::vector<LintFinding> findings;  ///< largest estimated gain first
};

/// @param quantized  with shapes (InferShapes), as the runtime got it
/// @param kernels       of ObserveKernels
/// @param left_in_float  first outputs of nodes that the tool which quantized left in float on purpose, with its reason
LintReport Lint(const Graph& quantized, const std::map<std::string, ObservedKernel>& kernels,
                const std::map<std::string, std::string>& left_in_float = {});

}  // namespace preon
