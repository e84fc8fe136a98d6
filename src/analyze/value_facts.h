// ValueFacts: how one tensor's values are distributed, in figures.
#pragma once

#include <cstdint>
#include <optional>

#include "ranges/histogram_math.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// Channels that give nothing: constant ones where the sketch has extremes per channel; else, of tensors without
/// negative values, those with mean 0 (in sampled mode: of the values that are counted).
struct DeadChannels {
  int64_t dead = 0, channels = 0;
};

/// Of finite values, unless said otherwise. In the tensor's own unit; shares are 0–1.
struct ValueFacts {
  uint64_t samples = 0;
  uint64_t count = 0;       ///< all values
  uint64_t infinities = 0;  ///< both signs
  double zero_share = 0;    ///< of all values
  double min = 0, max = 0;
  double mean = 0, deviation = 0;
  /// Third standardized moment; 0 for a constant. From the histogram, values spread evenly within a bin, while mean and
  /// deviation are exact. A sampled sketch estimates its bulk.
  double skewness = 0;
  double usual_largest = 0;             ///< 99th percentile of |x|
  std::optional<double> outlier_ratio;  ///< largest |x| over that; none where that is 0 and the largest is not
  /// Mean and median of the samples' own minima and maxima, beside which min and max are those of the worst sample.
  TypicalExtremes mean_extremes, median_extremes;
  std::optional<DeadChannels> dead_channels;  ///< none where the sketch can't tell
};

/// `sketch` has finite values; the distributions are its own.
ValueFacts FactsOf(const TensorSketch& sketch, const Distribution& values, const Distribution& absolute);

/// E(x - mean)³ / deviation³ of the distribution.
double Skewness(const Distribution& values);

}  // namespace preon
