#include "algorithms/channel_scales.h"

#include <algorithm>

#include "algorithms/algorithms.h"
#include "algorithms/channel_division.h"
#include "algorithms/convolution_pairs.h"
#include "quantize/plan/op_traits.h"

namespace preon {

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

namespace {

// None for a clamp that stayed: it would cut a scaled channel in the wrong place.
std::vector<float> FactorsBehindConv(const Graph& graph, const std::string& tensor, const ChannelExtremes& extremes,
                                     const Range& covered) {
  return graph.Producer(tensor)->Is("Conv") ? ChannelFactors(extremes, covered) : std::vector<float>();
}

class ChannelScales final : public Algorithm {
 public:
  std::string_view name() const override { return "channel-scales"; }
  std::string_view summary() const override {
    return "scales channels between a convolution and a depthwise one so that each uses all codes";
  }
  bool has_switch() const override { return true; }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    return ExtremesOf(ScalableTensors(graph, plan));
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    return DivideByExtremes(ScalableTensors(graph, plan), collected, &FactorsBehindConv);
  }

 private:
  // Only with the runtime's kernels depthwise weights have a scale per channel that costs nothing.
  bool Suits(const Target& target) const override { return target.FollowsRuntime(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeChannelScalesAlgorithm() { return std::make_unique<ChannelScales>(); }

}  // namespace preon
