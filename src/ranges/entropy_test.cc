#include <gtest/gtest.h>

#include <limits>

#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

constexpr int kBins = 2048;

/// Both distributions written out, over the raw values.
Range BruteForceEntropy(const std::vector<float>& values, int groups) {
  const Range observed = *ObservedRange(test::SketchOf(values));
  const double reach = std::max(-observed.min, observed.max), width = 2 * reach / kBins;
  std::vector<double> counts(kBins);
  for (double x : values) counts[std::clamp(static_cast<int>(std::floor((x + reach) / width)), 0, kBins - 1)] += 1;
  double smallest = std::numeric_limits<double>::infinity();
  Range best = observed;
  for (int i = groups / 2; i <= kBins / 2; ++i) {
    const int begin = kBins / 2 - i, end = std::min(kBins / 2 + i + 1, kBins), length = end - begin;
    const std::vector<double> slice(counts.begin() + begin, counts.begin() + end);
    std::vector<double> p = slice, r(slice.size());
    for (int bin = 0; bin < begin; ++bin) p.front() += counts[bin];
    for (int bin = end; bin < kBins; ++bin) p.back() += counts[bin];
    for (int group = 0; group < groups; ++group) {
      const int first = group * (length / groups), last = group + 1 == groups ? length : first + length / groups;
      double sum = 0, occupied = 0;
      for (int bin = first; bin < last; ++bin) {
        sum += slice[bin];
        occupied += p[bin] > 0;
      }
      for (int bin = first; bin < last; ++bin) {
        if (p[bin] > 0) r[bin] = std::max(sum / occupied, 1e-4);
      }
    }
    double p_sum = 0, r_sum = 0, divergence = 0;
    for (int bin = 0; bin < length; ++bin) {
      p_sum += p[bin];
      r_sum += slice[bin];
    }
    if (r_sum == 0) continue;
    for (int bin = 0; bin < length; ++bin) {
      if (p[bin] > 0) divergence += p[bin] / p_sum * std::log(p[bin] / p_sum / (r[bin] / r_sum));
    }
    if (divergence < smallest) {
      smallest = divergence;
      best = {std::clamp(static_cast<float>(begin * width - reach), observed.min, 0.0f),
              std::clamp(static_cast<float>(end * width - reach), 0.0f, observed.max)};
    }
  }
  return best;
}

// Few values: points of the sketch, which fall into the bins as the raw ones do.
TEST(Entropy, BruteForce) {
  for (const auto& [name, values] : test::ActivationLikeTensors(4000)) {
    const double step = *std::max_element(values.begin(), values.end()) / kBins;
    for (const auto& [type, codes] :
         std::vector<std::pair<DataType, int>>{{DataType::kUInt8, 256}, {DataType::kUInt4, 16}}) {
      const Range range = *MakeEntropyMethod()->Choose(test::SketchOf(values), {{type}});
      const Range wanted = BruteForceEntropy(values, codes);
      EXPECT_NEAR(range.min, wanted.min, 1e-3 * std::abs(step)) << name << ' ' << codes;
      EXPECT_NEAR(range.max, wanted.max, 1e-3 * std::abs(step)) << name << ' ' << codes;
    }
  }
}

TEST(Entropy, CutsTheOutlier) {
  std::vector<float> values = test::Gaussian(100000);
  values[7] = 100;
  const Range range = *MakeEntropyMethod()->Choose(test::SketchOf(values), {{DataType::kInt8, true}});
  EXPECT_LT(range.max, 30);
  EXPECT_GT(range.max, 2);
}

TEST(Entropy, Options) {
  const auto id = [](const MethodOptions& options) { return MakeEntropyMethod()->WithOptions(options).status().id(); };
  for (const char* bad : {"0", "100", "9000", "600.5"}) EXPECT_EQ(id({{"NumBins", bad}}), ErrorId::kBadOptionValue);
  for (const char* bad : {"1", "2000", "7.5"}) EXPECT_EQ(id({{"NumQuantizedBins", bad}}), ErrorId::kBadOptionValue);
  EXPECT_TRUE(MakeEntropyMethod()->WithOptions({{"NumBins", "4096"}, {"NumQuantizedBins", "128"}}).ok());
}

}  // namespace
}  // namespace preon
