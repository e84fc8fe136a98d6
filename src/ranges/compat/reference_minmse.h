// The reference's MinMSE with power-of-two scales (spec options §10.6).
#pragma once

#include "ranges/compat/reference_params.h"
#include "ranges/compat/reference_ranges.h"

namespace preon::compat {

enum class MinMseMode {
  kHistogram,   ///< All with NumBins: the error over the bins between the extremes
  kValues,      ///< All without: over the values
  kMostCommon,  ///< batch by batch, and the scale that comes most often
  kPercentile,  ///< over the values up to a percentile of the magnitudes, or inside both percentiles
};

struct MinMseOptions {
  MinMseMode mode = MinMseMode::kHistogram;
  bool symmetric = true;
  bool half_values = true;  ///< the values are kept as float16 (CalibOptimizeMem), but for kHistogram
  double percentile = 99.999;
  size_t bins = 2048;
};

/// All that the codes of the best scale represent. Errors: kConflictingOptions for kHistogram that is not symmetric.
Result<Range> MinMse(Batches batches, DataType type, const MinMseOptions& options);

/// The best of the five scales for a weight.
Params BestPowerOfTwo(std::span<const float> values, const IntFormat& format);

}  // namespace preon::compat
