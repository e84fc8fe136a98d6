// The ranges that the reference tool (0.13) and ONNX Runtime's calibrators (1.30) find for a tensor, number for number:
// for models that must come out as theirs. They depend on the order of the batches and on how the samples were cut into
// them, so they are computed from values, not from a sketch; the methods beside are the better form of each.
#pragma once

#include <span>
#include <vector>

#include "formats/int_format.h"
#include "ranges/compat/reference_histogram.h"

namespace preon::compat {

/// Every batch holds values; none is NaN or infinite. A range may be inverted where the reference's is (a constant).

struct MinMaxOptions {
  bool symmetric = false;
  bool average = false;  ///< of the batches' extremes; its constant never has an effect
};
/// Spec options §10.3; NonOverflow is the symmetric form.
Range MinMax(Batches batches, const MinMaxOptions& options);

struct PercentileOptions {
  double percentile = 99.999;
  bool symmetric = true;
  size_t bins = 2048;
};
/// Spec options §10.4. Errors: kBadOptionValue for a percentile outside 0…100.
Result<Range> Percentile(Batches batches, const PercentileOptions& options);

struct LayerwiseOptions {
  std::vector<double> candidates = {99.99, 99.999, 99.99999};
  bool square = false;        ///< mse instead of mae
  bool use_histogram = true;  ///< score bins; else the values, batch by batch
  bool symmetric = true;
  size_t bins = 2048;
};
/// Spec options §10.5, for codes of `type`.
Result<Range> LayerwisePercentile(Batches batches, DataType type, const LayerwiseOptions& options);

struct EntropyOptions {
  size_t bins = 128, groups = 128;
};
/// Spec options §10.8. Cost: quadratic in the bins that the batches grew to.
Range Entropy(Batches batches, const EntropyOptions& options);

/// Spec options §10.8: the ends of the histogram. Errors: kBadOptionValue below 512 bins.
Result<Range> Distribution(Batches batches, size_t bins);

}  // namespace preon::compat
