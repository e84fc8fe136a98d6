// Channel headroom: where one scale serves all channels of a tensor, those that stay far below its largest value use
// few codes. They are scaled up, the weights around them make up for it.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/channel_groups.h"

namespace preon {
namespace {

// A channel that uses a share s of the codes is multiplied by 1/sqrt(s), not by 1/s: what its weights gain in front,
// they lose behind, and values that no sample has reached stay below the bound of a Clip.
constexpr double kLargestFactor = 4;

bool IsReadOnlyBy(const Graph& graph, const std::string& tensor, std::string_view op_type) {
  const std::vector<Use> uses = graph.Uses(tensor);
  return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) { return use.node->Is(op_type); });
}

// Its codes say how far its channels may be scaled. An activation function's input has none, and what a layer gives to
// an Add alone counts in the sum.
bool Counts(const Graph& graph, const std::string& tensor) {
  const bool is_branch = ProducerOf(graph, tensor, "Conv") != nullptr && IsReadOnlyBy(graph, tensor, "Add");
  return !is_branch && !IsReadOnlyBy(graph, tensor, "Relu") && !IsReadOnlyBy(graph, tensor, "Clip");
}

std::vector<std::string> CountedTensors(const Graph& graph, const ChannelGroups& groups) {
  std::vector<std::string> tensors;
  for (const auto& [tensor, of_channels] : groups.of) {
    const bool has_any = std::ranges::any_of(of_channels, [](size_t group) { return group != 0; });
    if (has_any && Counts(graph, tensor)) tensors.push_back(tensor);
  }
  return tensors;
}

// Of the tensor's largest value, the share that each channel reaches.
std::vector<double> Shares(const ChannelExtremes& extremes) {
  std::vector<double> reached;
  for (size_t channel = 0; channel < extremes.max.size(); ++channel) {
    const double most = std::max(std::abs(extremes.min[channel]), std::abs(extremes.max[channel]));
    reached.push_back(std::isfinite(most) ? most : 0);
  }
  const double largest = reached.empty() ? 0 : std::ranges::max(reached);
  for (double& each : reached) each = largest > 0 ? each / largest : 0;
  return reached;
}

// By group: what the tensor allows in which its channels come nearest to the largest value.
std::vector<double> GroupFactors(const Graph& graph, const ChannelGroups& groups,
                                 const CollectedStatistics& collected) {
  std::vector<double> shares(groups.count, 0);
  for (const std::string& tensor : CountedTensors(graph, groups)) {
    const auto extremes = collected.channel_extremes.find(tensor);
    if (extremes == collected.channel_extremes.end()) continue;  // no sample reached it
    const std::vector<size_t>& of_channels = groups.of.at(tensor);
    const std::vector<double> of_tensor = Shares(extremes->second);
    for (size_t channel = 0; channel < std::min(of_channels.size(), of_tensor.size()); ++channel)
      shares[of_channels[channel]] = std::max(shares[of_channels[channel]], of_tensor[channel]);
  }
  std::vector<double> factors(groups.count, 1);
  for (size_t group = 1; group < groups.count; ++group) {
    if (shares[group] > 0) factors[group] = std::min(1 / std::sqrt(shares[group]), kLargestFactor);
  }
  return factors;
}

class ChannelHeadroom final : public Algorithm {
 public:
  std::string_view name() const override { return "channel-headroom"; }
  std::string_view summary() const override {
    return "scales channels that stay far below their tensor's largest value, so that they use more codes (NPUs)";
  }
  AlgorithmPhase phase() const override { return AlgorithmPhase::kFloatModel; }
  bool on_by_default() const override { return false; }
  bool in_effort() const override { return true; }

  StatisticsRequest NeedsOfFloat(const Graph& graph, const NodeFilter& quantized) const override {
    const std::vector<std::string> tensors = CountedTensors(graph, FindChannelGroups(graph, quantized));
    return {.channel_extremes = {tensors.begin(), tensors.end()}};
  }

  Result<bool> RewriteFloat(Model& model, const NodeFilter& quantized, const CollectedStatistics& collected,
                            const PlanOptions&) const override {
    const ChannelGroups groups = FindChannelGroups(model.graph, quantized);
    return ScaleChannels(model.graph, groups, GroupFactors(model.graph, groups, collected), quantized);
  }

 private:
  // Elsewhere a weight has a scale per channel, and codes absorb the Clip (channel-scales).
  bool Suits(const Target& target) const override { return target.NeedsBetterCodes(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeChannelHeadroomAlgorithm() { return std::make_unique<ChannelHeadroom>(); }

}  // namespace preon
