// The ranges that Quark 0.13 and ONNX Runtime's calibrators (1.30) find for a tensor, number for number.
// They depend on the order of the batches and on how the samples were cut into them, so they are collected from values;
// the methods over sketches are the better form of each. A range may be inverted where it is there (a constant).
#pragma once

#include <memory>
#include <vector>

#include "ranges/compat/compat_histogram.h"
#include "ranges/range_collector.h"

namespace preon::compat {

struct MinMaxOptions {
  bool symmetric = false;
  bool average = false;  ///< of the batches' extremes; its constant never has an effect
};
/// NonOverflow is the symmetric form.
std::unique_ptr<RangeCollector> CollectMinMax(const MinMaxOptions& options);

struct PercentileOptions {
  double percentile = 99.999;  ///< 0…100
  bool symmetric = true;
  size_t bins = 2048;
  bool one_block = false;  ///< as HistogramOptions'
};
std::unique_ptr<RangeCollector> CollectPercentile(const PercentileOptions& options);
/// What it chooses in a histogram of all batches: over |x| where symmetric, else over x.
Range PercentileOf(const CompatHistogram<float>& histogram, double percentile, bool symmetric);

struct LayerwiseOptions {
  DataType type = DataType::kUInt8;  ///< of the codes that score
  std::vector<double> candidates = {99.99, 99.999, 99.99999};
  bool square = false;        ///< mse instead of mae
  bool use_histogram = true;  ///< score bins; else the values, batch by batch
  bool half_values = false;   ///< which are kept as float16
  bool symmetric = true;
  size_t bins = 2048;
};
std::unique_ptr<RangeCollector> CollectLayerwisePercentile(const LayerwiseOptions& options);

struct EntropyOptions {
  size_t bins = 128, groups = 128;
  bool one_block = false;
};
/// Cost: quadratic in the bins that the batches grew to.
std::unique_ptr<RangeCollector> CollectEntropy(const EntropyOptions& options);

struct DistributionOptions {
  size_t bins = 2048;  ///< at least 512
  bool one_block = false;
};
/// The ends of the histogram.
std::unique_ptr<RangeCollector> CollectDistribution(const DistributionOptions& options);

enum class MinMseMode {
  kHistogram,   ///< All with NumBins: the error over the bins between the extremes; symmetric only
  kValues,      ///< All without: over the values
  kMostCommon,  ///< batch by batch, and the scale that comes most often
  kPercentile,  ///< over the values up to a percentile of the magnitudes, or inside both percentiles
};
struct MinMseOptions {
  DataType type = DataType::kUInt8;
  MinMseMode mode = MinMseMode::kHistogram;
  bool symmetric = true;
  bool half_values = true;  ///< the values are kept as float16 (CalibOptimizeMem), but for kHistogram and kMostCommon
  double percentile = 99.999;
  size_t bins = 2048;
};
/// All that the codes of the best power-of-two scale represent.
/// Memory: kPercentile holds all values of the tensor in Finish.
std::unique_ptr<RangeCollector> CollectMinMse(const MinMseOptions& options);

}  // namespace preon::compat
