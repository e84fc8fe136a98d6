// TensorSketch: the mergeable summary of one tensor's values: exact extremes and counts, moments that do not depend on
// order, and a histogram with power-of-two bins aligned to zero. (Essay on layout and invariants: docs/design/sketch.md)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// How a tensor's values lie in memory: [samples][outer][ceil(channels / block)][inner][block], row-major.
/// Plain NCHW has block 1; channels-last has channels = last dimension, inner 1. In a blocked tensor the channels
/// beyond `channels` are padding and never counted.
struct ChannelLayout {
  int64_t samples = 1;
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
  int64_t block = 1;
};

/// Runs task(0) … task(count-1), possibly at once, and returns when all are done.
using ParallelFor = std::function<void(size_t count, const std::function<void(size_t task)>& task)>;

enum class SketchMode : uint8_t {
  kSampled,  ///< extremes, zeros and the tail exact; the bulk of large tensors from a fixed subset of blocks
  kExact,    ///< every element in the histogram
};

struct SketchConfig {
  SketchMode mode = SketchMode::kSampled;
  int64_t channels = 0;   ///< > 0: also exact min/max per channel
};

/// A histogram read-out: bin i covers [lower_edge + i·width, lower_edge + (i+1)·width); zeros are counted apart and
/// are not in the bins. Counts are exact in exact mode, else scaled estimates in the bulk. Sum = finite non-zero count.
struct Histogram {
  double width = 0;
  double lower_edge = 0;
  std::vector<double> counts;
  double zeros = 0;
  double total() const;
};

/// Update and Merge commute exactly: any order, split into batches, thread count or machine gives the same bytes.
/// Fixed memory, independent of the number of samples. One writer at a time (Update parallelizes inside).
class TensorSketch {
 public:
  explicit TensorSketch(const SketchConfig& config = {});
  TensorSketch(const TensorSketch&);
  TensorSketch(TensorSketch&&) noexcept;
  TensorSketch& operator=(TensorSketch);
  ~TensorSketch();

  /// Adds the values of one run. `data` holds layout's elements including padding.
  void Update(const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for = {});
  /// Convenience for one sample of `values.size()` elements.
  void Update(std::span<const float> values);
  /// Errors: kSketchMismatch when the configurations differ.
  Status Merge(const TensorSketch& other);

  const SketchConfig& config() const;
  uint64_t count() const;        ///< all elements seen
  uint64_t zero_count() const;
  uint64_t nan_count() const;
  uint64_t inf_count() const;
  uint64_t finite_count() const { return count() - nan_count() - inf_count(); }
  uint64_t samples() const;
  /// Over finite values; both 0 when there is none.
  float min() const;
  float max() const;
  double mean() const;
  double variance() const;       ///< population variance
  std::span<const float> channel_min() const;   ///< empty unless config.channels > 0
  std::span<const float> channel_max() const;
  Histogram ReadHistogram() const;

  /// Canonical bytes (the same for equal contents); Parse checks everything. Errors: kCalibFileMalformed.
  std::string Serialize() const;
  static Result<TensorSketch> Parse(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace preon
