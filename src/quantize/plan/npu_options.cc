#include "quantize/plan/npu_options.h"

namespace preon {

PositionLimits LimitsFrom(const AlignOptions& align, const ShiftOptions& shifts, bool sigmoid_is_hard) {
  return {.concat = align.concat.value_or(true),
          .pool = align.pool.value_or(true),
          .pad = align.pad.value_or(true),
          .slice = align.slice.value_or(true),
          .read = shifts.read.value_or(true),
          .write = shifts.write.value_or(true),
          .cut = shifts.cut.value_or(true),
          .bias = shifts.bias.value_or(true),
          .hard_sigmoid = shifts.hard_sigmoid.value_or(true),
          .swish = shifts.swish.value_or(true),
          .sigmoid_is_hard = sigmoid_is_hard,
          .moves = align.enabled,
          .rounds = align.rounds};
}

DpuConversions ConversionsFrom(const DpuOptions& wanted, bool by_default) {
  if (!wanted.simulate.value_or(true)) return {};
  return {.leaky_relu = wanted.leaky_relu.value_or(by_default),
          .sigmoid = wanted.sigmoid.value_or(by_default),
          .hard_sigmoid = wanted.hard_sigmoid.value_or(by_default),
          .average_pool = wanted.average_pool.value_or(by_default),
          .reduce_mean = wanted.reduce_mean.value_or(by_default),
          .softmax = wanted.softmax.value_or(false),
          .instance_norm = wanted.instance_norm.value_or(false),
          .clip = wanted.clip.value_or(false)};
}

}  // namespace preon
