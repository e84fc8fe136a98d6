// ns per element of TensorSketch::Update by tensor size and mode, against a memcpy of the same data. Every benchmark
// first checks the sketch against a plain loop. Data rotate over several tensors, as in a network, so that they come
// from beyond the first cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "stats/tensor_sketch.h"

namespace preon {
namespace {

constexpr size_t kTensors = 4;

std::vector<std::vector<float>> Tensors(size_t size, bool relu) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> tensors(kTensors, std::vector<float>(size));
  for (auto& tensor : tensors) {
    for (float& value : tensor) {
      // Heavy-tailed, as activations are: most maxima lie ten standard deviations out.
      value = normal(random) * (random() % 100 == 0 ? 4.0f : 1.0f);
      if (relu) value = std::max(value, 0.0f);
    }
  }
  return tensors;
}

// The data on their way into the first cache, and nothing else: the floor for any statistic.
void BM_Memcpy(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  const auto tensors = Tensors(size, false);
  std::vector<float> buffer(4096);
  size_t next = 0;
  for (auto _ : state) {
    const std::vector<float>& x = tensors[next++ % kTensors];
    for (size_t i = 0; i < size; i += buffer.size()) {
      std::memcpy(buffer.data(), x.data() + i, std::min(buffer.size(), size - i) * sizeof(float));
      benchmark::DoNotOptimize(buffer.data());
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Memcpy)->Arg(100'000)->Arg(1'000'000);

void BM_Update(benchmark::State& state, SketchMode mode, bool relu) {
  const auto size = static_cast<size_t>(state.range(0));
  const auto tensors = Tensors(size, relu);
  std::vector<TensorSketch> sketches(kTensors, TensorSketch({.mode = mode}));
  for (size_t i = 0; i < kTensors; ++i) {
    sketches[i].Update(tensors[i]);
    const double total = sketches[i].ReadHistogram().total();
    const auto nonzero =
        static_cast<double>(size) - static_cast<double>(std::count(tensors[i].begin(), tensors[i].end(), 0.0f));
    if (sketches[i].max() != *std::ranges::max_element(tensors[i]) || std::abs(total - nonzero) > 1e-6 * nonzero) {
      state.SkipWithError("differs from a plain loop");
    }
  }
  size_t next = 0;
  for (auto _ : state) {
    sketches[next % kTensors].Update(tensors[next % kTensors]);
    ++next;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(BM_Update, sampled, SketchMode::kSampled, false)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(8000)
    ->Arg(100'000)
    ->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_Update, sampled_relu, SketchMode::kSampled, true)->Arg(1000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_Update, exact, SketchMode::kExact, false)->Arg(1000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_Update, exact_relu, SketchMode::kExact, true)->Arg(1000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace preon
