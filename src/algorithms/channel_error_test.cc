#include "algorithms/channel_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"

namespace preon {
namespace {

using test::GraphBuilder;

constexpr size_t kChannels = 4, kOutputs = 4;

double RoundedTo(double value, double step) { return std::round(value / step) * step; }

/// x -> c1 -> c2: the tensor c1, of normal values whose deviations differ, is read by weights with a scale per output.
class TwoLayers {
 public:
  TwoLayers() : b_({1, 4, 8, 8}) {
    b_.Conv("x", "c1");
    b_.Conv("c1", "c2");
    b_.Output("c2");
    std::vector<float> weight(kOutputs * kChannels);
    for (float& value : weight) value = static_cast<float>(normal_(random_));
    b_.model.graph.SetInitializer("c2_w", Tensor::FromFloats({4, 4, 1, 1}, weight));
    weight_.assign(weight.begin(), weight.end());
  }

  double Expected(const std::vector<double>& factors) const {
    const QuantPlan plan = *PlanForOrtCpu(b_.model, {});
    const TensorRanges ranges = {{"x", {-1, 1}}, {"c1", kRange}, {"c2", {-1, 1}}};
    PlanParams params(b_.model.graph, plan, ranges);
    EXPECT_TRUE(params.Compute().ok());
    const ChannelGroups groups = FindChannelGroups(b_.model.graph, [](const Node&) { return true; });
    ChannelExtremes extremes;
    for (const double deviation : kDeviations) {
      extremes.max.push_back(static_cast<float>(5 * deviation));
      extremes.min.push_back(-extremes.max.back());
    }
    const ChannelError error(b_.model.graph, plan, params, groups, {{"c1", extremes}});
    std::vector<double> of_groups(groups.count, 1);
    for (size_t c = 0; c < kChannels; ++c) of_groups[groups.of.at("c1")[c]] = factors[c];
    return error.Of(groups.SetOf(groups.of.at("c1")), of_groups);
  }

  /// The same by rounding many values.
  double Measured(const std::vector<double>& factors) {
    const double step = (kRange.max - kRange.min) / 255;
    double error = 0, all = 0;
    for (int sample = 0; sample < 20000; ++sample) {
      std::array<double, kChannels> exact, scaled;
      for (size_t c = 0; c < kChannels; ++c) {
        exact[c] = kDeviations[c] * normal_(random_);
        scaled[c] = RoundedTo(exact[c] * factors[c], step);
      }
      for (size_t o = 0; o < kOutputs; ++o) {
        double range = 0, output = 0, rounded = 0;
        for (size_t c = 0; c < kChannels; ++c)
          range = std::max(range, std::abs(weight_[o * kChannels + c] / factors[c]));
        for (size_t c = 0; c < kChannels; ++c) {
          const double weight = weight_[o * kChannels + c];
          output += weight * exact[c];
          rounded += RoundedTo(weight / factors[c], range / 127) * scaled[c];
        }
        error += (rounded - output) * (rounded - output);
        all += output * output;
      }
    }
    return error / all;
  }

 private:
  static constexpr Range kRange = {-4, 4};
  static constexpr std::array<double, kChannels> kDeviations = {0.8, 0.1, 0.02, 0.3};
  GraphBuilder b_;
  std::vector<double> weight_;
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
};

TEST(ChannelError, IsThatOfRoundedValuesAndWeights) {
  TwoLayers layers;
  for (const std::vector<double>& factors :
       std::vector<std::vector<double>>{{1, 1, 1, 1}, {1, 4, 10, 2}, {1, 1, 30, 1}}) {
    const double measured = layers.Measured(factors);
    EXPECT_NEAR(layers.Expected(factors), measured, 0.3 * measured);
  }
}

// Weights beside channels of large factors are small and get few codes.
TEST(ChannelError, GrowsAgainWithTheFactorOfAChannelThatHardlyCounts) {
  TwoLayers layers;
  const std::vector<double> one = {1, 1, 1, 1}, much = {1, 1000, 1, 1};
  EXPECT_GT(layers.Expected(much), 2 * layers.Expected(one));
  EXPECT_GT(layers.Measured(much), 2 * layers.Measured(one));
}

}  // namespace
}  // namespace preon
