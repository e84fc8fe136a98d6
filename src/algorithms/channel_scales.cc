#include "algorithms/channel_scales.h"

#include <algorithm>

#include "algorithms/algorithms.h"
#include "algorithms/convolution_pairs.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

constexpr float kLeastFactor = 1.0f / 256;

}  // namespace

std::vector<std::string> ScalableTensors(const Graph& graph, const QuantPlan& plan) {
  const auto has_channel_scales = [&](const Node& conv) { return plan.weights.at(conv.input(1)).axis == 0; };
  std::vector<std::string> tensors;
  for (const ConvolutionPair& pair : FindConvolutionPairs(graph, plan)) {
    const bool absorbed = pair.clamp == nullptr || std::ranges::count(plan.folded_clamps, pair.clamp->name) > 0;
    if (absorbed && IsDepthwise(graph, *pair.reader) && has_channel_scales(*pair.writer) &&
        has_channel_scales(*pair.reader))
      tensors.push_back(pair.tensor);
  }
  return tensors;
}

std::vector<float> ChannelFactors(const ChannelExtremes& extremes, const Range& covered) {
  const auto share = [](float reached, float limit) { return reached * limit > 0 ? reached / limit : 0; };
  std::vector<float> factors;
  for (size_t channel = 0; channel < extremes.max.size(); ++channel) {
    const float factor = std::max(share(extremes.max[channel], covered.max), share(extremes.min[channel], covered.min));
    factors.push_back(factor == 0 ? 1 : std::clamp(factor, kLeastFactor, 1.0f));
  }
  return factors;
}

namespace {

class ChannelScalesHook final : public WriteHook {
 public:
  explicit ChannelScalesHook(std::map<std::string, ChannelExtremes> extremes) : extremes_(std::move(extremes)) {}

  Result<std::vector<DividedChannels>> BeforeWeights(Graph& graph, const PlanParams& params) override {
    std::vector<DividedChannels> divided;
    for (const auto& [tensor, extremes] : extremes_) {
      // A clamp that stayed would cut a scaled channel in the wrong place.
      if (!graph.Producer(tensor)->Is("Conv")) continue;
      const ActivationParams& activation = *params.Find(tensor);
      const Range covered = RepresentableRange(activation.params, activation.format);
      divided.push_back({tensor, ChannelFactors(extremes, covered)});
      DivideChannels(graph, divided.back());
    }
    return divided;
  }

 private:
  std::map<std::string, ChannelExtremes> extremes_;
};

class ChannelScales final : public Algorithm {
 public:
  std::string_view name() const override { return "channel-scales"; }
  std::string_view summary() const override {
    return "scales channels between a convolution and a depthwise one so that each uses all codes";
  }
  bool has_switch() const override { return true; }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    StatisticsRequest request;
    for (const std::string& tensor : ScalableTensors(graph, plan)) request.Add({.channel_extremes = {tensor}});
    return request;
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    std::map<std::string, ChannelExtremes> extremes_of;
    for (const std::string& tensor : Needs(graph, plan).channel_extremes) {
      const auto extremes = collected.channel_extremes.find(tensor);
      if (extremes != collected.channel_extremes.end()) extremes_of.insert(*extremes);
    }
    return std::unique_ptr<WriteHook>(std::make_unique<ChannelScalesHook>(std::move(extremes_of)));
  }

 private:
  // Only with the runtime's kernels depthwise weights have a scale per channel that costs nothing.
  bool Suits(const Target& target) const override { return target.FollowsRuntime(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeChannelScalesAlgorithm() { return std::make_unique<ChannelScales>(); }

}  // namespace preon
