// Headroom below a Clip: where one scale serves all channels of a tensor, those that stay far below the Clip's bound
// use few codes. They are scaled up, the weights around them make up for it.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/channel_division.h"
#include "algorithms/convolution_pairs.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// A channel that uses a share s of the codes is divided by sqrt(s), not by s: what its weights gain in front, they
// lose behind, and values that no sample has reached stay below the bound.
constexpr float kSmallestFactor = 1.0f / 4;

// Above its bound the Clip cuts values off.
std::vector<float> HalfOfTheWay(const Graph& graph, const std::string& tensor, const ChannelExtremes& extremes,
                                const Range& covered) {
  const float bound = ClampRange(graph, *graph.Producer(tensor)).value().max;
  std::vector<float> factors = ChannelFactors(extremes, {0, std::min(covered.max, bound)});
  for (float& factor : factors) factor = std::max(std::sqrt(factor), kSmallestFactor);
  return factors;
}

std::vector<std::string> ClippedTensors(const Graph& graph, const QuantPlan& plan) {
  std::vector<std::string> tensors;
  for (const ConvolutionPair& pair : FindConvolutionPairs(graph, plan)) {
    if (pair.clamp == nullptr) continue;
    const Range bounds = ClampRange(graph, *pair.clamp).value();
    if (bounds.min == 0 && std::isfinite(bounds.max)) tensors.push_back(pair.tensor);
  }
  return tensors;
}

class ClipHeadroom final : public Algorithm {
 public:
  std::string_view name() const override { return "clip-headroom"; }
  std::string_view summary() const override {
    return "scales channels that stay far below the bound of a Clip, so that they use more codes (NPUs)";
  }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    return ExtremesOf(ClippedTensors(graph, plan));
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    return DivideByExtremes(ClippedTensors(graph, plan), collected, &HalfOfTheWay);
  }

 private:
  // Elsewhere a weight has a scale per channel, and codes absorb the Clip (channel-scales).
  bool Suits(const Target& target) const override { return target.NeedsBetterCodes(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeClipHeadroomAlgorithm() { return std::make_unique<ClipHeadroom>(); }

}  // namespace preon
