// ns per element of each kernel, of its scalar reference, and of the loops that mark memory's own speed (memcpy, float
// sum). Each benchmark first holds the kernel's result against the reference. items_per_second = elements per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/add.h"
#include "kernels/block_scale.h"
#include "kernels/extremes.h"
#include "kernels/histogram.h"
#include "kernels/kernel_testing.h"
#include "kernels/quantize.h"
#include "kernels/run_stats.h"

namespace preon {
namespace {

constexpr size_t kCount = kMaxRun;

std::vector<float> Gaussian() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(kCount);
  for (float& value : x) value = normal(random);
  return x;
}

std::vector<float> Relu() {
  std::vector<float> x = Gaussian();
  for (float& value : x) value = std::max(value, 0.0f);
  return x;
}

// Most maxima lie ten standard deviations out, as activations' do.
std::vector<float> HeavyTailed() {
  std::vector<float> x = Gaussian();
  for (size_t i = 0; i < x.size(); i += 100) x[i] *= 4;
  return x;
}

void Done(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCount)); }

// One multiplication waits for the other, three cycles each: "ns per element" is the cycle's length.
void BM_Cycle(benchmark::State& state) {
  uint64_t product = 3;
  for (auto _ : state) {
    for (size_t i = 0; i < kCount / 3; ++i) {
      product *= product;
      benchmark::DoNotOptimize(product);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCount / 3 * 3));
}
BENCHMARK(BM_Cycle);

void BM_Memcpy(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  std::vector<float> y(kCount);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), kCount * sizeof(float));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK(BM_Memcpy);

void BM_PlainSum(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  for (auto _ : state) {
    float lanes[16] = {};
    for (size_t i = 0; i < kCount; i += 16) {
      for (size_t lane = 0; lane < 16; ++lane) lanes[lane] += x[i + lane];
    }
    benchmark::DoNotOptimize(lanes);
  }
  Done(state);
}
BENCHMARK(BM_PlainSum);

template <auto kKernel>
void BM_AddFloats(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  std::vector<float> sum(kCount);
  kKernel(x.data(), x.data(), kCount, sum.data());
  for (size_t i = 0; i < kCount; ++i) {
    if (sum[i] != 2 * x[i]) state.SkipWithError("differs from the plain loop");
  }
  for (auto _ : state) {
    kKernel(x.data(), x.data(), kCount, sum.data());
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK(BM_AddFloats<&AddFloats>)->Name("BM_AddFloats");
BENCHMARK(BM_AddFloats<&reference::AddFloats>)->Name("BM_AddFloats/reference");

LaneExtremes lane_extremes;

void BM_RunStats(benchmark::State& state, decltype(&ComputeRunStats) kernel, LaneExtremes* lanes) {
  const std::vector<float> x = Gaussian();
  const RunStats got = kernel(x.data(), kCount, 3.0f, lanes),
                 wanted = reference::ComputeRunStats(x.data(), kCount, 3.0f);
  if (got.sum != wanted.sum || got.max != wanted.max) state.SkipWithError("differs from the reference");
  for (auto _ : state) benchmark::DoNotOptimize(kernel(x.data(), kCount, 3.0f, lanes));
  Done(state);
}
BENCHMARK_CAPTURE(BM_RunStats, all, &ComputeRunStats, nullptr)->Name("BM_RunStats");
BENCHMARK_CAPTURE(BM_RunStats, lanes, &ComputeRunStats, &lane_extremes);
BENCHMARK_CAPTURE(BM_RunStats, reference, &reference::ComputeRunStats, nullptr);

void BM_BinIndices(benchmark::State& state, decltype(&BinIndices) kernel, const std::vector<float>& x) {
  std::vector<uint16_t> got(kCount + kIndexSlack), wanted(kCount);
  got.resize(kernel(x.data(), kCount, 512, got.data()));
  wanted.resize(reference::BinIndices(x.data(), kCount, 512, wanted.data()));
  if (got != wanted) state.SkipWithError("differs from the reference");
  got.resize(kCount + kIndexSlack);
  for (auto _ : state) benchmark::DoNotOptimize(kernel(x.data(), kCount, 512, got.data()));
  Done(state);
}
BENCHMARK_CAPTURE(BM_BinIndices, gaussian, &BinIndices, Gaussian());
BENCHMARK_CAPTURE(BM_BinIndices, relu, &BinIndices, Relu());
BENCHMARK_CAPTURE(BM_BinIndices, gaussian_reference, &reference::BinIndices, Gaussian());

template <auto kKernel>
void BM_TailBinIndices(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  const RunGroups groups = ComputeRunStats(x.data(), kCount, 2.0f).tail;
  std::vector<uint16_t> got(kCount + kIndexSlack), wanted(kCount);
  got.resize(kKernel(x.data(), kCount, groups, 512, got.data()));
  wanted.resize(reference::TailBinIndices(x.data(), kCount, groups, 512, wanted.data()));
  if (got != wanted) state.SkipWithError("differs from the reference");
  got.resize(kCount + kIndexSlack);
  for (auto _ : state) benchmark::DoNotOptimize(kKernel(x.data(), kCount, groups, 512, got.data()));
  Done(state);
}
BENCHMARK(BM_TailBinIndices<&TailBinIndices>)->Name("BM_TailBinIndices");
BENCHMARK(BM_TailBinIndices<&reference::TailBinIndices>)->Name("BM_TailBinIndices/reference");

// Indices and counts: the full histogram of a run.
void BM_Histogram(benchmark::State& state, const std::vector<float>& x) {
  std::vector<uint16_t> indices(kCount + kIndexSlack);
  alignas(64) static uint16_t counts[2][kBins];
  std::fill(&counts[0][0], &counts[0][0] + 2 * kBins, uint16_t{0});
  CountIndices(indices.data(), BinIndices(x.data(), kCount, 512, indices.data()), counts[0], counts[1]);
  std::vector<int> wanted(kBins);
  for (const float value : x) {
    if (value != 0) ++wanted[static_cast<size_t>(std::abs(value) * 512) + (value < 0 ? kBinsPerSign : 0)];
  }
  for (size_t bin = 0; bin < kBins; ++bin) {
    if (counts[0][bin] + counts[1][bin] != wanted[bin]) state.SkipWithError("differs from the plain loop");
  }
  for (auto _ : state) {
    CountIndices(indices.data(), BinIndices(x.data(), kCount, 512, indices.data()), counts[0], counts[1]);
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK_CAPTURE(BM_Histogram, gaussian, Gaussian());
BENCHMARK_CAPTURE(BM_Histogram, relu, Relu());

// Everything that is exact in the sampled form: statistics, and the indices of the tail.
void BM_TailForm(benchmark::State& state, const std::vector<float>& x) {
  constexpr float kInvWidth = 256, kBound = kTailBin / kInvWidth;
  std::vector<uint16_t> indices(kCount + kIndexSlack);
  const auto wanted = std::count_if(x.begin(), x.end(), [](float value) { return std::abs(value) >= kBound; });
  const auto tail = [&] {
    return TailBinIndices(x.data(), kCount, ComputeRunStats(x.data(), kCount, kBound).tail, kInvWidth, indices.data());
  };
  if (tail() != static_cast<size_t>(wanted)) state.SkipWithError("differs from the plain loop");
  for (auto _ : state) benchmark::DoNotOptimize(tail());
  Done(state);
}
BENCHMARK_CAPTURE(BM_TailForm, heavy_tailed, HeavyTailed());

// The same with the instructions of a processor without AVX-512.
void BM_Avx2(benchmark::State& state, decltype(&BM_Histogram) bench, const std::vector<float>& x) {
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) return state.SkipWithError("the processor has no AVX2");
  UseKernelTarget(HWY_AVX2);
  bench(state, x);
  UseKernelTarget(0);
}
BENCHMARK_CAPTURE(BM_Avx2, gaussian, &BM_Histogram, Gaussian())->Name("BM_Histogram/gaussian/avx2");
BENCHMARK_CAPTURE(BM_Avx2, relu, &BM_Histogram, Relu())->Name("BM_Histogram/relu/avx2");
BENCHMARK_CAPTURE(BM_Avx2, heavy_tailed, &BM_TailForm, HeavyTailed())->Name("BM_TailForm/heavy_tailed/avx2");

void BM_HistogramPlainLoop(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  std::vector<uint32_t> counts(kBins);
  for (auto _ : state) {
    for (const float value : x) {
      if (value != 0) ++counts[static_cast<size_t>(std::abs(value) * 512) + (value < 0 ? kBinsPerSign : 0)];
    }
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK(BM_HistogramPlainLoop);

template <auto kKernel>
void BM_RunExtremes(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  float min = 0, max = 0, wanted_min = 0, wanted_max = 0;
  kKernel(x.data(), kCount, &min, &max);
  reference::RunExtremes(x.data(), kCount, &wanted_min, &wanted_max);
  if (min != wanted_min || max != wanted_max) state.SkipWithError("differs from the reference");
  for (auto _ : state) {
    kKernel(x.data(), kCount, &min, &max);
    benchmark::DoNotOptimize(min);
  }
  Done(state);
}
BENCHMARK(BM_RunExtremes<&RunExtremes>)->Name("BM_RunExtremes");
BENCHMARK(BM_RunExtremes<&reference::RunExtremes>)->Name("BM_RunExtremes/reference");

template <auto kKernel>
void BM_ColumnExtremes(benchmark::State& state) {
  const auto columns = static_cast<size_t>(state.range(0));
  const std::vector<float> x = Gaussian();
  std::vector<float> min(columns), max(columns), wanted_min(columns), wanted_max(columns);
  kKernel(x.data(), kCount / columns, columns, min.data(), max.data());
  reference::ColumnExtremes(x.data(), kCount / columns, columns, wanted_min.data(), wanted_max.data());
  if (min != wanted_min || max != wanted_max) state.SkipWithError("differs from the reference");
  for (auto _ : state) {
    kKernel(x.data(), kCount / columns, columns, min.data(), max.data());
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK(BM_ColumnExtremes<&ColumnExtremes>)->Name("BM_ColumnExtremes")->Arg(16)->Arg(512);
BENCHMARK(BM_ColumnExtremes<&reference::ColumnExtremes>)->Name("BM_ColumnExtremes/reference")->Arg(16)->Arg(512);

template <typename T, auto kKernel>
void BM_QuantizeLinear(benchmark::State& state) {
  const std::vector<float> x = Gaussian();
  std::vector<T> got(kCount), wanted(kCount);
  const IntCodes codes{0.03f, 3, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  kKernel(x.data(), kCount, codes, got.data());
  reference::QuantizeLinear(x.data(), kCount, codes, wanted.data());
  if (got != wanted) state.SkipWithError("differs from the reference");
  for (auto _ : state) {
    kKernel(x.data(), kCount, codes, got.data());
    benchmark::ClobberMemory();
  }
  Done(state);
}
BENCHMARK(BM_QuantizeLinear<int8_t, &QuantizeLinear<int8_t>>)->Name("BM_QuantizeLinear/int8");
BENCHMARK(BM_QuantizeLinear<uint16_t, &QuantizeLinear<uint16_t>>)->Name("BM_QuantizeLinear/uint16");
BENCHMARK(BM_QuantizeLinear<int8_t, &reference::QuantizeLinear<int8_t>>)->Name("BM_QuantizeLinear/int8/reference");

// Blocks of 32 weights with 8 codes.
template <auto kKernel, bool kWeighted = false>
void BM_BestBlockScale(benchmark::State& state) {
  constexpr size_t kBlock = 32;
  std::vector<float> x = Gaussian();
  for (float& value : x) value = std::min(std::fabs(value) / 4, 1.0f);
  const std::vector<float> rooms(kBlock, 8), importance(kWeighted ? kBlock : 0, 0.5f);
  const ScaleBounds bounds = {7.5f, 20};
  const auto block = [&](size_t first) { return std::span<const float>(x).subspan(first, kBlock); };
  if (kKernel(block(0), rooms, bounds, importance) != reference::BestBlockScale(block(0), rooms, bounds, importance))
    state.SkipWithError("differs from the reference");
  for (auto _ : state) {
    for (size_t first = 0; first < kCount; first += kBlock)
      benchmark::DoNotOptimize(kKernel(block(first), rooms, bounds, importance));
  }
  Done(state);
}
BENCHMARK(BM_BestBlockScale<&BestBlockScale>)->Name("BM_BestBlockScale");
BENCHMARK(BM_BestBlockScale<&BestBlockScale, true>)->Name("BM_BestBlockScale/weighted");
BENCHMARK(BM_BestBlockScale<&reference::BestBlockScale>)->Name("BM_BestBlockScale/reference");

}  // namespace
}  // namespace preon
