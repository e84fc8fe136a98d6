// OpListRules: what one quantizer that marks tensors operator by operator does differently from the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"

namespace preon {

/// What an operator marks (docs/design/op-list-targets.md).
enum class OpHandler : uint8_t {
  kEveryTensor,    ///< all float inputs and outputs
  kLinear,         ///< Conv, ConvTranspose, Gemm: data, weight with a channel axis, bias; output
  kMatMul,         ///< constants as weights; output
  kClamp,          ///< Relu, Clip behind a marked tensor: folded into the producer, or marked
  kMover,          ///< output 0 shares the parameters of a marked input 0
  kGather,         ///< the same; a constant table is marked
  kSplit,          ///< input; all outputs share its parameters
  kPad,            ///< input; the output shares its parameters where padding adds no new value
  kWhere,          ///< output where both data inputs are marked
  kNormalization,  ///< data, scale as weight, shift as bias; output
  kSlope,          ///< data, slope as weight; output
  kHardSigmoid,    ///< data and output, of the one that the DPU has; others stay float
};

/// By operator type; others: kEveryTensor.
using OpHandlers = std::map<std::string_view, OpHandler>;
OpHandler HandlerOf(const OpHandlers& handlers, std::string_view op_type);

/// Of PlanOptions, what keys of Quark and the codes of tensors depend on.
struct OpListAsked {
  const OpListOptions& op_list;
  const TensorType& activation;
  const TensorType& weight;
  std::optional<bool> symmetric;  ///< activations
  bool per_channel = true;
  const TensorSettings& settings;
  Compat compat = Compat::kOff;
};

struct OpListRules {
  std::string_view target;
  OperatorForm operators = OperatorForm::kStock;
  std::vector<std::string_view> op_types;  ///< without --op-types
  OpHandlers handlers;
  bool operands_alone = false;         ///< what operators read is marked, what they write is not; sums stay exact
  bool folds_clamps = false;           ///< Relu and Clip into their producer, where activations are asymmetric
  bool narrows_clamp_inputs = false;   ///< the range of what a clamp alone reads is that of its output
  bool removes_pairs = false;          ///< RemoveQDQConv…
  bool extended = false;               ///< com.microsoft's pairs; tensors with overrides share with no other
  bool shifts_as_weights = false;      ///< of LayerNormalization: not as biases
  bool constants_are_weights = false;  ///< all of them; else what is no weight has the activations' type
  bool other_biases_as_weights =
      false;                          ///< biases that are no int32 codes have the weight's type; else they stay float
  bool keeps_masks_float = false;     ///< but with --compat
  bool guards_float_regions = false;  ///< float Conv and Gemm get a DequantizeLinear that the runtime does not fuse
  bool unknown_is_float = false;      ///< tensors of unknown type
  bool improves_ranges = false;       ///< QuantPlan::improves_ranges
  bool per_channel_is_int8 = false;   ///< weights in uint8 with scales per channel are int8
  bool per_channel_is_symmetric = false;  ///< weights with scales per channel have their zero points in the middle
  bool int8_is_symmetric = false;         ///< activations in int8, where the user sets nothing
  bool biases_are_weights = false;        ///< unless the user wants int32 codes
  bool matmul_const_b_only = false;       ///< MatMulConstBOnly, where the user has not set it
  bool has_positions = false;             ///< shifts are kept inside the limits of an NPU
  bool simulates_dpu = false;             ///< operators may become the DPU's …
  bool simulates_by_default = false;      ///< … and do so, but for some

  bool Quantizes(std::string_view op_type) const;
  /// Are activations of this type symmetric? `wanted`: by the user.
  bool Symmetric(const TensorType& activation, std::optional<bool> wanted) const;
  /// The form for a weight of the node, where the user names none. `plan` knows all activations.
  WeightForm FormOf(const WeightPlan& weight, const QuantPlan& plan, const Node& node, Compat compat) const;
  /// Are scales aligned as they are, whatever they are? The other tools have that in one of their quantizers alone.
  bool AlignsScales(Compat compat) const { return extended || (!has_positions && compat == Compat::kOff); }
  /// Positions and operators of the DPU, as the rules have them and the user wants them.
  void SetNpuFacts(const AlignOptions& align, const ShiftOptions& shifts, const DpuOptions& dpu, QuantPlan* plan) const;
  /// Target::IgnoredKeys of the targets that mark tensors by these rules.
  std::vector<IgnoredKey> IgnoredKeys(const OpListAsked& asked) const;
};

/// Keys that ask for operators as the DPU has them, of which the plan quantizes none: a sentence for each.
std::vector<std::string> DpuKeysWithoutNodes(const DpuOptions& dpu, const std::vector<NodeDecision>& nodes);
/// A pass over the float graph for what NPUs have kernels for, by its name.
bool IsRewriteForNpus(std::string_view pass);

/// ONNX Runtime's quantize_static in QDQ format.
OpListRules OrtRules();
/// The operators that it makes integer operators of.
OpListRules OrtIntegerRules();
/// Quark's base or extended quantizer. `fold_relu`: PairOptions::fold_relu.
OpListRules QuarkRules(QuarkFormat format, bool fold_relu, Compat compat);
/// Quark's quantizer for CNNs on NPUs (XINT8): more operators, powers of two alone, biases of 8 bits.
OpListRules NpuCnnRules(Compat compat);
/// Quark's quantizer for transformers on NPUs: Gemm, and MatMul of a constant.
OpListRules NpuTransformerRules();
/// The base quantizer's operators, kept away from what runtimes do behind the user's back. Activations in blocks: the
/// operands of products alone, as accelerators with such formats compute (OCP Microscaling v1.0, section 6: dot
/// products), but with --compat.
OpListRules SimulateRules(const TensorType& activation, Compat compat);

/// Which of both target quark is. `wanted`: OpListOptions::format; `has_overrides`: of layers or single tensors.
QuarkFormat QuarkFormatFor(std::optional<QuarkFormat> wanted, const TensorType& activation, const TensorType& weight,
                           bool has_overrides);

}  // namespace preon
