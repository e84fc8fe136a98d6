// Quantize-dequantize of block formats: in the caches (32 KB, as the kernels' benches) and where neither array fits
// into any (64 MB each, BM_Memcpy/memory beside it), along the last axis and along the first of two. items_per_second =
// elements per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "formats/block_codec.h"
#include "formats/number_formats.h"
#include "kernels/quantize_blocks.h"

namespace preon {
namespace {

constexpr int64_t kInCache = 8192, kInMemory = 16 << 20;

std::vector<float> Gaussian(int64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<size_t>(std::min(count, int64_t{1} << 20)));
  for (float& value : x) value = normal(random);
  while (static_cast<int64_t>(x.size()) < count)
    x.insert(x.end(), x.begin(), x.begin() + static_cast<ptrdiff_t>(x.size()));
  return x;
}

void MemcpyMemory(benchmark::State& state) {
  const std::vector<float> x = Gaussian(kInMemory);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), x.size() * sizeof(float));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kInMemory);
}

/// @param shape  its first axis if `axis` is 0, its last if 1
void QuantizeDequantizeBlocks(benchmark::State& state, const BlockSpec& spec, const Shape& shape, int64_t axis) {
  const int64_t count = ElementCount(shape);
  const std::vector<float> x = Gaussian(count);
  std::vector<float> y(x.size()), wanted(static_cast<size_t>(kInCache));
  if (!QuantizeDequantize(spec, shape, axis, x.data(), y.data()).ok()) state.SkipWithError("not done");
  if (axis == 1) {
    reference::QuantizeBlocks(GridOf(spec), x.data(), wanted.size(), wanted.data());
    if (!std::equal(wanted.begin(), wanted.end(), y.begin())) state.SkipWithError("differs from the reference");
  }
  for (auto _ : state) {
    if (!QuantizeDequantize(spec, shape, axis, x.data(), y.data()).ok()) state.SkipWithError("not done");
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void Reference(benchmark::State& state, const BlockSpec& spec) {
  const std::vector<float> x = Gaussian(kInCache);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    reference::QuantizeBlocks(GridOf(spec), x.data(), x.size(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kInCache);
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("BM_Memcpy/memory", MemcpyMemory);
  for (const auto& make :
       {MakeBfp16Format, MakeMx4Format, MakeMx6Format, MakeMx9Format, MakeMxInt8Format, MakeMxFp4E2M1Format,
        MakeMxFp6E3M2Format, MakeMxFp6E2M3Format, MakeMxFp8E5M2Format, MakeMxFp8E4M3Format}) {
    const auto format = make();
    const BlockSpec spec = *format->block();
    const std::string name = "BM_" + std::string(format->name());
    const auto add = [&](const std::string& suffix, const Shape& shape, int64_t axis) {
      benchmark::RegisterBenchmark((name + suffix).c_str(), [=](benchmark::State& state) {
        QuantizeDequantizeBlocks(state, spec, shape, axis);
      });
    };
    add("", {1, kInCache}, 1);
    benchmark::RegisterBenchmark((name + "/reference").c_str(),
                                 [=](benchmark::State& state) { Reference(state, spec); });
    add("/axis0", {64, kInCache / 64}, 0);
    add("/memory", {kInMemory / 4096, 4096}, 1);
    add("/axis0/memory", {kInMemory / 4096, 4096}, 0);
  }
  return true;
}();

}  // namespace
}  // namespace preon
