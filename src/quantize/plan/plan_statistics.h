// PlanStatistics: what calibration found out for a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/int_format.h"

namespace preon {

/// Extremes of each channel of a tensor; infinity and -infinity of one without values.
struct ChannelExtremesOf {
  std::vector<float> min, max;
};

/// What calibration found out for a plan.
struct PlanStatistics {
  std::map<std::string, Range> ranges;  ///< one per observed tensor
  /// Mean per channel of inputs of Conv and Gemm whose bias is to be corrected (quantize/write/bias_correction.h).
  std::map<std::string, std::vector<double>> channel_means;
  /// Of tensors whose channels are to be scaled (quantize/write/channel_scales.h).
  std::map<std::string, ChannelExtremesOf> channel_extremes;
};

}  // namespace preon
