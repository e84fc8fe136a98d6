// How constants are stored, so that the runtime computes what the plan says (docs/design/placement.md, "Weights that
// the runtime quantizes itself").
#pragma once

#include <initializer_list>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Codes that the node reads of an activation, by its own pair where it has one; null where it reads none, or blocks.
const IntFormat* CodesRead(const QuantPlan& plan, const Node& node, const std::string& tensor);

/// Of MatMul and Gemm nodes whose weights are integer codes and whose activations are none, ONNX Runtime 1.30 makes
/// MatMulNBits, which rounds the activations to 8 bits. `folds`: such weights of 8 bits become floats, with which it
/// computes what the model says; those of fewer stay small, and their own rounding is far coarser. A warning names the
/// nodes that are left.
void KeepActivationsExact(const Graph& graph, bool folds, QuantPlan* plan);

/// Adds nodes that read a pair, and whose float weights or biases the runtime would quantize behind the user's back.
void GuardFloatRegions(const Graph& graph, QuantPlan* plan);

/// Is there an integer whose codes are stored in so many bits, of any of `bits`?
bool HasIntegersOf(std::initializer_list<int> bits, const std::vector<TensorType>& types);

/// Whose operators pairs have that are not the standard's: Quark's mixed precision writes a layer that it changes from
/// other types to bytes with the standard's.
PairDomain DomainOfChanges(bool mixes_as_quark, const TensorType& activation, const TensorType& weight);

/// Quark looks along what operators reduce before mixed precision changes layers.
bool KeepsBlockAxes(bool mixes_as_quark, const TensorType& activation, const TensorType& weight);

}  // namespace preon
