// Weights as the reference encodes them (spec options §9.7, §10.6b, §10.7): parameters and codes of one slice.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/weight_rule.h"
#include "ranges/compat/reference_params.h"

namespace preon::compat {

struct WeightOptions {
  ScaleType scale_type = ScaleType::kFloat32;
  WeightMethod method = WeightMethod::kMinMax;
  WeightSearch search = WeightSearch::kPercentile;  ///< of float scales; the extremes are never among what is tried
};

struct ReferenceWeight {
  Params params;
  std::vector<int64_t> codes;
};

/// @param values  a tensor, or the slice of one channel; finite, at least one
ReferenceWeight EncodeWeight(std::span<const float> values, const IntFormat& format, const WeightOptions& options);

}  // namespace preon::compat
