// TensorSketch: the mergeable summary of one tensor's values: exact extremes and counts, moments that do not depend on
// order, and a histogram with power-of-two bins aligned to zero. (Essay on layout and invariants:
// docs/design/sketch.md)
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "base/status.h"
#include "stats/channel_layout.h"
#include "stats/sample_facts.h"
#include "stats/scalar_function.h"
#include "stats/sketch_config.h"
#include "stats/sketch_histogram.h"

namespace preon {

/// What a typical sample reaches.
struct TypicalExtremes {
  double min = 0, max = 0;
};

class TensorSketch;

/// A sketch that keeps the means per channel of f over the values of another one's update, and nothing else of them.
struct DerivedMeans {
  TensorSketch* sketch = nullptr;  ///< its mean_channels > 0
  ScalarFunction function;
};

/// One value of several that are sketched together.
struct SketchStep {
  TensorSketch* sketch = nullptr;  ///< null: computed only
  const float* data = nullptr;
  /// Computes elements of `data`, padding included, in memory order; empty where they are there. May overwrite the same
  /// elements of earlier steps.
  ComputeRange compute;
  std::vector<DerivedMeans> derived = {};
  uint64_t nans = 0;                          ///< set by the update: how many of the values are NaN
  std::vector<SampleFacts>* facts = nullptr;  ///< null, or gets one entry per sample of the layout
};

/// Update and Merge commute exactly: any order, split into batches, thread count or machine gives the same bytes.
/// Fixed memory, independent of the number of samples. Any number of threads may update it at once (and each update
/// parallelizes inside); everything else, reading too, wants it alone.
class TensorSketch {
 public:
  explicit TensorSketch(const SketchConfig& config = {});
  TensorSketch(const TensorSketch&);
  TensorSketch(TensorSketch&&) noexcept;
  TensorSketch& operator=(TensorSketch);
  ~TensorSketch();

  /// Adds the values of one run. `data` holds layout's elements including padding. `layout.channels` is
  /// config().channels and mean_channels where those are not 0. Needs 370 KB of stack on every thread of parallel_for.
  void Update(const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for = {});
  /// Updates 1 to 3 sketches with values that lie alike. Step by step as far as results go; but in one pass over the
  /// data, run by run, so that a run is still in the nearest caches when the next step needs it.
  static void UpdateTogether(std::span<SketchStep> steps, const ChannelLayout& layout, const ParallelFor& parallel_for);
  /// Convenience for one sample of `values.size()` elements.
  void Update(std::span<const float> values);
  /// Errors: kSketchMismatch when the configurations differ.
  Status Merge(const TensorSketch& other);
  /// Becomes a sketch of f over all that `source` has seen, both in sampled mode: counts, extremes, histogram and
  /// moments. Channel means stay as they are (DerivedMeans), there are no channel extremes. A function of `source`
  /// alone, so that it may be done again after every merge. (How near it is: docs/design/sketch.md, "Derived sketches")
  void DeriveFrom(const TensorSketch& source, const ScalarFunction& function);

  const SketchConfig& config() const;
  uint64_t count() const;  ///< all elements seen
  uint64_t zero_count() const;
  uint64_t nan_count() const;
  uint64_t inf_count() const;
  uint64_t finite_count() const { return count() - nan_count() - inf_count(); }
  uint64_t samples() const;
  /// Over finite values; both 0 when there is none.
  float min() const;
  float max() const;
  double mean() const;
  double variance() const;  ///< population variance
  /// Empty unless config.channels > 0. A channel without finite values has +infinity and -infinity.
  std::span<const float> channel_min() const;
  std::span<const float> channel_max() const;
  /// Empty unless config.mean_channels > 0. In sampled mode an estimate from the subset.
  std::vector<double> channel_means() const;
  /// Of the samples' own minima and maxima; the median within 1 %. All 0 when there is none.
  TypicalExtremes mean_extremes() const;
  TypicalExtremes median_extremes() const;
  Histogram ReadHistogram() const;

  /// Canonical bytes (the same for equal contents); Parse checks everything. Errors: kCalibFileMalformed.
  std::string Serialize() const;
  static Result<TensorSketch> Parse(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace preon
