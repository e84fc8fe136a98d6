// TensorObserver: what an observed session shows tensors to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/tensor.h"

namespace preon {

/// Where each tensor is observed, for reports and tests.
enum class ObserverPlace {
  kFloatGraph,  ///< in the model's own graph: the optimizer was off, or what it made could not be used
  kOptimized,   ///< in the optimized graph, in plain layout
  kBlocked,     ///< in the optimized graph, in the blocked layout of the runtime's convolutions
};

/// How an observed value lies in memory: [samples][outer][ceil(channels / block)][inner][block]; see ChannelLayout in
/// stats/, which calib/ maps this to (runtime/ may not include stats/).
struct ObservedValue {
  const float* data = nullptr;
  Shape shape;        ///< logical shape (channels without padding)
  int64_t block = 1;  ///< channel block of a blocked (NCHWc) tensor, 1 = plain row-major
};

/// Elements in memory, padding included.
int64_t StoredCount(const ObservedValue& value);

/// About `most` elements of a plain value, evenly spread: the same places in values of the same shape.
std::vector<float> SomeElements(const ObservedValue& value, int64_t most);

/// One of several values of the same shape and layout that are shown together.
struct ObservedStep {
  ObservedValue value;
  std::optional<size_t> index;  ///< of its tensor; none: computed, but not observed
  /// Computes elements of value.data, padding included, in memory order; empty where they are there. May overwrite the
  /// same elements of earlier steps.
  ComputeRange compute;
};

/// Gets each observed tensor once per run, on the thread that called Run, one tensor at a time. Runs may overlap.
class TensorObserver {
 public:
  virtual ~TensorObserver() = default;
  /// `index` into the list of tensors given to Open; `parallel_for` runs tasks on the runtime's own threads.
  virtual void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) = 0;
  /// Step by step: computes the value, and observes it. Who overrides it may do so part by part, in one pass over the
  /// data; every element has to be computed in any case.
  virtual void ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for);
};

}  // namespace preon
