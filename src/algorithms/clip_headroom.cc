// Headroom below a Clip: where one scale serves all channels of a tensor, those that stay far below the Clip's bound
// use few codes. They are scaled up, the weights around them make up for it.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/channel_scales.h"
#include "algorithms/convolution_pairs.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// A channel that uses a share s of the codes is divided by sqrt(s), not by s: what its weights gain in front, they
// lose behind, and values that no sample has reached stay below the bound.
constexpr float kSmallestFactor = 1.0f / 4;

// What a value above it is cut to; scaled channels keep below.
float BoundOf(const Graph& graph, const std::string& tensor) {
  return ClampRange(graph, *graph.Producer(tensor)).value().max;
}

class ClipHeadroomHook final : public WriteHook {
 public:
  explicit ClipHeadroomHook(std::map<std::string, ChannelExtremes> extremes) : extremes_(std::move(extremes)) {}

  Result<std::vector<DividedChannels>> BeforeWeights(Graph& graph, const PlanParams& params) override {
    std::vector<DividedChannels> divided;
    for (const auto& [tensor, extremes] : extremes_) {
      const ActivationParams* activation = params.Find(tensor);
      if (activation == nullptr) continue;  // it has a format with scales of blocks
      const float covered = RepresentableRange(activation->params, activation->format).max;
      divided.push_back({tensor, ChannelFactors(extremes, {0, std::min(covered, BoundOf(graph, tensor))})});
      for (float& factor : divided.back().factors) factor = std::max(std::sqrt(factor), kSmallestFactor);
      DivideChannels(graph, divided.back());
    }
    return divided;
  }

 private:
  std::map<std::string, ChannelExtremes> extremes_;
};

class ClipHeadroom final : public Algorithm {
 public:
  std::string_view name() const override { return "clip-headroom"; }
  std::string_view summary() const override {
    return "scales channels that stay far below the bound of a Clip, so that they use more codes (NPUs)";
  }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    StatisticsRequest request;
    for (const ConvolutionPair& pair : FindConvolutionPairs(graph, plan)) {
      if (pair.clamp == nullptr) continue;
      const Range bounds = ClampRange(graph, *pair.clamp).value();
      if (bounds.min == 0 && std::isfinite(bounds.max)) request.Add({.channel_extremes = {pair.tensor}});
    }
    return request;
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    std::map<std::string, ChannelExtremes> extremes_of;
    for (const std::string& tensor : Needs(graph, plan).channel_extremes) {
      const auto extremes = collected.channel_extremes.find(tensor);
      if (extremes != collected.channel_extremes.end()) extremes_of.insert(*extremes);
    }
    return std::unique_ptr<WriteHook>(std::make_unique<ClipHeadroomHook>(std::move(extremes_of)));
  }

 private:
  // Elsewhere a weight has a scale per channel, and codes absorb the Clip (channel-scales).
  bool Suits(const Target& target) const override { return target.NeedsBetterCodes(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeClipHeadroomAlgorithm() { return std::make_unique<ClipHeadroom>(); }

}  // namespace preon
