#include "quantize/plan/float_reason.h"

namespace preon {

std::string_view FloatReasonName(FloatReason reason) {
  switch (reason) {
    case FloatReason::kNone:
      return "integer";
    case FloatReason::kNoKernel:
      return "no integer kernel";
    case FloatReason::kExcluded:
      return "excluded";
    case FloatReason::kNotConstant:
      return "operand not constant";
    case FloatReason::kType:
      return "element type";
    case FloatReason::kAttributes:
      return "attributes";
    case FloatReason::kNoGain:
      return "no gain";
    case FloatReason::kTail:
      return "output tail";
    case FloatReason::kMask:
      return "attention mask";
    case FloatReason::kAccuracy:
      return "accuracy";
    case FloatReason::kInputHead:
      return "input head";
    case FloatReason::kLimits:
      return "contradicting limits";
    case FloatReason::kSubgraph:
      return "sub-graph";
    case FloatReason::kNotReached:
      return "not reached";
    case FloatReason::kNotFused:
      return "not fused";
  }
  return "unknown";
}

std::string_view LeftFloatDetail(FloatReason reason) {
  switch (reason) {
    case FloatReason::kNotReached:
      return "no calibration sample runs it";
    case FloatReason::kAccuracy:
      return "the model's error is smaller with this node in float (measured); the line fall-back has the cost";
    case FloatReason::kInputHead:
      return "one scale for all weights of a first layer costs more than a tenth of its output: that layer, the nodes "
             "that lead to it and the operators after it stay in float";
    case FloatReason::kLimits:
      return "no scale satisfies the NPU's limits of all nodes that share it";
    case FloatReason::kTail:
      return kTailDetail;
    case FloatReason::kNoGain:
      return "too small: Q/DQ would cost more than INT8 gains";
    default:
      return "the runtime computes it in float even with Q/DQ around it";
  }
}

}  // namespace preon
