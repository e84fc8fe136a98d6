// SketchParts: what a TensorSketch is composed of, and the update of all parts in one read of the data.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "stats/bin_offsets.h"
#include "stats/channel_extremes.h"
#include "stats/channel_layout.h"
#include "stats/channel_sums.h"
#include "stats/moments.h"
#include "stats/outer_values.h"
#include "stats/sample_extremes.h"
#include "stats/sample_facts.h"
#include "stats/scalar_function.h"
#include "stats/sketch_config.h"
#include "stats/spin_lock.h"
#include "stats/tensor_histogram.h"
#include "stats/value_counts.h"

namespace preon {

struct SketchParts {
  SketchConfig config;
  ValueCounts counts;
  Moments moments;
  ChannelExtremes channels;
  ChannelSums channel_sums;
  SampleExtremes sample_extremes;
  TensorHistogram histogram;
  BinOffsets offsets;  // of the histogram; this and the next in exact mode only
  OuterValues outer;
  SpinLock lock;  // of everything above during updates

  /// Counts what waits. Before reading and merging; readers may do so at once.
  void Settle() {
    const std::lock_guard hold(lock);
    histogram.Settle();
    sample_extremes.Settle();
  }
};

/// A DerivedMeans, inside.
struct PartsOfMeans {
  SketchParts* parts;
  const ScalarFunction* function;
};

/// A SketchStep, inside.
struct PartsStep {
  SketchParts* parts;
  const float* data;
  const ComputeRange& compute;
  std::vector<PartsOfMeans> derived;
  uint64_t& nans;
  std::vector<SampleFacts>* facts;
};

/// Steps at once at most: each takes 120 KB of a thread's stack.
inline constexpr size_t kMaxSketchSteps = 3;

/// Adds the values of one run to every part of every step. Several updates of the same parts may be under way.
void UpdateParts(std::span<const PartsStep> steps, const ChannelLayout& layout, const ParallelFor& parallel_for);

}  // namespace preon
