// What an NPU asks of a quantized model beyond types: one scale around operators that only move values, shifts inside
// the hardware's limits, operators as the hardware computes them (docs/design/npu.md). Named after Quark's options.
#pragma once

#include <cstdint>
#include <optional>

namespace preon {

/// Which operators have one scale for what they read and write. Default: the target's.
struct AlignOptions {
  bool enabled = true;                                               ///< NPULimitationCheck
  std::optional<bool> concat, pool, pad, slice, transpose, reshape;  ///< AlignConcat, …
  int64_t rounds = 5;  ///< MaxLoopNum: until nothing changes, so often at most

  bool operator==(const AlignOptions&) const = default;
};

/// Which shifts are kept inside their limits. Default: all, where the target has positions.
struct ShiftOptions {
  std::optional<bool> read, write, cut, bias, hard_sigmoid, swish;  ///< AdjustShiftRead, …

  bool operator==(const ShiftOptions&) const = default;
};

/// Which operators compute as the DPU does. Default: the target's.
struct DpuOptions {
  std::optional<bool> simulate;  ///< SimulateDPU
  /// ConvertLeakyReluToDPUVersion, ConvertSigmoidToHardSigmoid, …
  std::optional<bool> leaky_relu, sigmoid, hard_sigmoid, average_pool, reduce_mean, softmax, instance_norm, clip;

  bool operator==(const DpuOptions&) const = default;
};

/// Of a plan: what is aligned, and which shifts are kept inside their limits (quantize/params/position_rules.h).
struct PositionLimits {
  bool concat = true, pool = true, pad = true, slice = true;
  bool read = true, write = true, cut = true, bias = true, hard_sigmoid = true, swish = true;
  bool sigmoid_is_hard = true;  ///< a Sigmoid of the plan becomes a HardSigmoid
  bool moves = true;            ///< false: positions stay as they are, and are only listed
  int64_t rounds = 5;
};

/// Of a plan: operators that become the DPU's, each by a pass of quantize/qdq_passes/.
struct DpuConversions {
  bool leaky_relu = false, sigmoid = false, hard_sigmoid = false, average_pool = false, reduce_mean = false,
       softmax = false, instance_norm = false, clip = false;
};

/// What a plan of target npu-cnn keeps, and what it leaves.
PositionLimits LimitsFrom(const AlignOptions& align, const ShiftOptions& shifts, bool sigmoid_is_hard);
/// @param by_default  all but Softmax, InstanceNormalization and Clip, unless the user says no
DpuConversions ConversionsFrom(const DpuOptions& wanted, bool by_default);

}  // namespace preon
