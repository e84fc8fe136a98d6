#include "runtime/tensor_observer.h"

#include <algorithm>

namespace preon {

int64_t StoredCount(const ObservedValue& value) {
  if (value.block == 1) return ElementCount(value.shape);
  Shape stored = value.shape;
  stored[1] = (stored[1] + value.block - 1) / value.block * value.block;
  return ElementCount(stored);
}

std::vector<float> SomeElements(const ObservedValue& value, int64_t most) {
  const int64_t count = ElementCount(value.shape), step = std::max<int64_t>(1, count / most) | 1;
  std::vector<float> picked;
  picked.reserve(static_cast<size_t>(count / step + 1));
  for (int64_t i = 0; i < count; i += step) picked.push_back(value.data[i]);
  return picked;
}

void TensorObserver::ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) {
  for (const ObservedStep& step : steps) {
    if (step.compute) {
      const int64_t count = StoredCount(step.value);
      const auto tasks = static_cast<int64_t>(parallel_for.threads);
      parallel_for(parallel_for.threads, [&](size_t task_index) {
        const auto task = static_cast<int64_t>(task_index);
        step.compute(count * task / tasks, count * (task + 1) / tasks);
      });
    }
    if (step.index) Observe(*step.index, step.value, parallel_for);
  }
}

}  // namespace preon
