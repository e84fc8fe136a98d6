// Why a node stays float.
#pragma once

#include <string_view>

namespace preon {

/// Why a node stays float; a closed list so that reports and tests can count.
enum class FloatReason {
  kNone,         ///< it becomes an integer kernel
  kNoKernel,     ///< the target has no integer kernel for this operator (in this form)
  kExcluded,     ///< the user excluded it
  kNotConstant,  ///< needs a constant (weight, slope, …) that is computed
  kType,         ///< not float32
  kAttributes,   ///< alpha, beta, mode, axis … that the kernel does not take
  kNoGain,       ///< would run in integers but costs more than it saves, or enables no integer kernel
  kTail,         ///< behind the last integer Conv/MatMul/Gemm: outputs keep float accuracy
  kMask,         ///< attention mask: its range would swallow everything else
  kAccuracy,     ///< less error was measured with it in float
  kInputHead,    ///< first layers whose weights one scale does not bear, and what leads to them
  kLimits,       ///< the NPU's limits of the nodes that share its scale contradict each other
  kSubgraph,     ///< inside, or feeding, a sub-graph
  kNotReached,   ///< the calibration data never ran it: nothing is known about its range
  kNotFused,     ///< planned in integers, but the runtime computes it in float
};
std::string_view FloatReasonName(FloatReason reason);

/// Of kTail.
inline constexpr std::string_view kTailDetail = "no integer Conv, Gemm or MatMul follows: kept float for accuracy";

/// One clause for humans about a reason of PlanOptions::left_float.
std::string_view LeftFloatDetail(FloatReason reason);

}  // namespace preon
