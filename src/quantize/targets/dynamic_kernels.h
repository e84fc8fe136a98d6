// Operators of ONNX Runtime that compute in integers and find the scales of their activations in each run
// (docs/design/dynamic.md): which nodes they take, and the constants of these. For every target that uses them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "formats/compat/compat.h"
#include "formats/int_format.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

/// Why a node stays float; kNone: it does not.
struct KernelVerdict {
  FloatReason reason = FloatReason::kNone;
  std::string_view detail = "";  ///< one clause
};

/// Of one that `DynamicKernels::IsSmall` refuses.
inline constexpr KernelVerdict kTooSmallForDynamic{
    FloatReason::kNoGain, "too small: computing the scale in each run would cost more than INT8 gains"};

class DynamicKernels {
 public:
  /// @param overrides  of constants, by name; they and the graph outlive it
  DynamicKernels(const Graph& graph, WeightCodes weights, const std::map<std::string, TensorOverride>& overrides,
                 Compat compat)
      : graph_(graph), weights_(std::move(weights)), overrides_(overrides), as_others_(compat != Compat::kOff) {}

  /// Is there such an operator for the node as it is: MatMul, Conv, LSTM, Gather of a constant table, Attention,
  /// EmbedLayerNormalization?
  KernelVerdict Judge(const Node& node) const;
  /// Would finding the scales cost about what integers save? Of a node that `Judge` takes.
  bool IsSmall(const Node& node) const;
  /// Multiply-accumulates, of LSTM too.
  double Macs(const Node& node) const;
  /// Adds the node and the constants that it reads to QuantPlan::dynamic. Of a node that `Judge` takes.
  void Add(const Node& node, DynamicPlan& plan) const;

 private:
  KernelVerdict JudgeConstant(const Node& node, size_t input, size_t min_rank) const;
  KernelVerdict JudgeConv(const Node& node) const;
  KernelVerdict JudgeLstm(const Node& node) const;
  KernelVerdict JudgeAttention(const Node& node) const;
  KernelVerdict JudgeEmbedding(const Node& node) const;
  int64_t RecurrentWeights(const Node& node) const;
  void AddConstant(const Node& node, size_t index, IntFormat format, int axis, DynamicPlan& plan) const;

  const Graph& graph_;
  const WeightCodes weights_;
  const std::map<std::string, TensorOverride>& overrides_;
  const bool as_others_;  // as other tools write them
};

}  // namespace preon
