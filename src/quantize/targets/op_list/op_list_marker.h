// OpListMarker: operators mark tensors, in graph order; what comes of the marks is op_list_planner.cc's.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "quantize/plan/quant_plan.h"
#include "quantize/settings/node_selection.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// A tensor that gets a pair, or a constant that gets codes.
struct TensorMark {
  bool weight = false;          ///< with the weights' type; else the activations'
  int axis = -1;                ///< that of channels; -1: there is none
  const Node* first = nullptr;  ///< who marked it
  std::string provider;         ///< tensor whose scale and zero point it takes ("" = its own) …
  std::string provider_node;    ///< … as this reader of it sees them
};

/// Of PlanOptions, what marks depend on.
struct MarkOptions {
  const OpListOptions& op_list;
  const ExcludeOptions& exclude;
  const std::map<std::string, FloatReason>& left_float;
  const std::map<std::string, TensorOverride>& overrides;
  bool symmetric = false;  ///< codes of activations
  Compat compat = Compat::kOff;
};

struct BiasMark {
  const Node* node;
  std::string bias, input, weight;
};

struct OpListMarks {
  std::map<std::string, TensorMark> tensors;
  std::vector<BiasMark> biases;
  std::vector<std::string> folded;              ///< clamps that become part of their producer
  std::set<std::string> pairless;               ///< marked, but read as they are: activation functions behind kernels
  std::map<std::string, std::string> narrowed;  ///< tensor -> the one whose range it has
  std::set<std::string> fixed_to_one;           ///< outputs of Softmax: [0, 1]
  std::set<std::string>
      unshared;  ///< AlignEltwiseQuantType: inputs of element-wise operators, which share with no other
  std::vector<const Node*> quantized;  ///< nodes that marked
  std::vector<NodeDecision> nodes;     ///< all
  std::vector<std::string> warnings;
};

OpListMarks MarkTensors(const Model& model, const MarkOptions& options, const OpListRules& rules);

}  // namespace preon
