// Channel scales: one scale serves all channels of a tensor, and most of them use few codes. They are scaled up, the
// weights and biases around them make up for it, and codes keep their range.
// Source: the algebra of cross-layer equalization (Nagel et al. 2019, section 4.1), for any number of tensors at once.
#include <algorithm>
#include <cmath>
#include <set>

#include "algorithms/algorithms.h"
#include "algorithms/channel_error.h"
#include "algorithms/channel_groups.h"
#include "algorithms/scaled_layer.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

constexpr double kMostTimes = 256;  // a channel that would need more is as good as dead
// Other samples reach further than those of the calibration, and where all channels fill the codes' range, each of them
// may be cut off. So layers that mix channels leave this much of it, and the error has to fall by more than 1 + power.
constexpr double kFilled = 0.6;
constexpr int kTriedPowers = 8;

/// A weight with a scale per output, and a bias, if any, that nobody else reads.
NodeFilter LayersToScale(const Graph& graph, const QuantPlan& plan) {
  std::set<std::string> names;
  for (const std::string_view name : IntegerNodes(plan)) {
    const Node* node = graph.FindNode(name);
    if (node == nullptr || !IsScalableLayer(graph, *node)) continue;
    const auto weight = plan.weights.find(node->input(1));
    const bool own_weight = weight != plan.weights.end() && weight->second.axis >= 0 && !weight->second.block &&
                            weight->second.block_size == 0 && !weight->second.HasGivenScales() &&
                            !weight->second.range && weight->second.channel_ranges.empty() &&
                            graph.UseCount(node->input(1)) == 1;
    const std::string bias = node->input(2);
    if (own_weight && (bias.empty() || graph.UseCount(bias) == 1)) names.insert(node->name);
  }
  return [names = std::move(names)](const Node& node) { return names.contains(node.name); };
}

// Its channels would be cut off in the wrong place.
bool IsClipped(const Graph& graph, const std::string& tensor) {
  return std::ranges::any_of(graph.Uses(tensor), [](const Use& use) { return use.node->Is("Clip"); });
}

// How often each channel's extremes fit into the range of the codes; at least 1.
std::vector<double> TimesThatFit(const ChannelExtremes& extremes, const Range& covered) {
  const auto share = [](float reached, float limit) { return reached * limit > 0 ? double{reached} / limit : 0; };
  std::vector<double> times;
  for (size_t channel = 0; channel < extremes.max.size(); ++channel) {
    const double reached =
        std::max(share(extremes.max[channel], covered.max), share(extremes.min[channel], covered.min));
    times.push_back(reached > 0 && std::isfinite(reached) ? std::clamp(1 / reached, 1.0, kMostTimes) : 1);
  }
  return times;
}

// By group, how far the tensors that it is of let it grow.
std::vector<double> Limits(const Graph& graph, const ChannelGroups& groups, const PlanParams& params,
                           const std::map<std::string, ChannelExtremes>& extremes) {
  constexpr double kUnknown = 2 * kMostTimes;
  std::vector<double> limits(groups.count, kUnknown);
  for (const auto& [tensor, of_channels] : groups.of) {
    std::vector<double> times(of_channels.size(), IsClipped(graph, tensor) ? 1 : kUnknown);
    const auto seen = extremes.find(tensor);
    const ActivationParams* activation = seen == extremes.end() ? nullptr : params.Find(tensor);
    if (activation != nullptr && activation->has_steps())
      times = TimesThatFit(seen->second, RepresentableRange(activation->params, activation->format));
    times.resize(of_channels.size(), 1);  // no sample has reached the tensor
    for (size_t channel = 0; channel < times.size(); ++channel)
      limits[of_channels[channel]] = std::min(limits[of_channels[channel]], times[channel]);
  }
  std::ranges::replace(limits, kUnknown, 1);
  limits[0] = 1;
  return limits;
}

void SetFactors(const ChannelGroups& groups, size_t set, const std::vector<double>& values,
                std::vector<double>& factors) {
  for (size_t group = 1; group < groups.count; ++group) {
    if (groups.sets[group] == set) factors[group] = values[group];
  }
}

// Of each set the power of the limits with the least error.
std::vector<double> Factors(const ChannelGroups& groups, const std::vector<double>& limits, const ChannelError& error) {
  std::vector<double> best(groups.count, 1);
  for (const size_t set : error.sets()) {
    const bool mixes = error.MixesChannels(set);
    double least = error.Of(set, best);
    for (int step = 1; step <= kTriedPowers; ++step) {
      const double power = step / static_cast<double>(kTriedPowers);
      std::vector<double> factors;
      for (const double limit : limits)
        factors.push_back(std::max(1.0, std::min(std::pow(limit, power), mixes ? kFilled * limit : limit)));
      const double expected = error.Of(set, factors) * (mixes ? 1 + power : 1);
      if (expected >= least) continue;
      least = expected;
      SetFactors(groups, set, factors, best);
    }
  }
  return best;
}

// What the layers that have been scaled read and give, as factors that it is divided by.
std::vector<DividedChannels> Divided(const Graph& graph, const ChannelGroups& groups,
                                     const std::vector<double>& factors, const NodeFilter& layers) {
  std::vector<DividedChannels> all;
  for (const auto& [tensor, of_channels] : groups.of) {
    DividedChannels divided{.tensor = tensor};
    for (const size_t group : of_channels) divided.factors.push_back(static_cast<float>(1 / factors[group]));
    if (std::ranges::count(divided.factors, 1.0f) == std::ssize(divided.factors)) continue;
    const Node* writer = graph.Producer(tensor);
    if (writer != nullptr && layers(*writer)) divided.writer = writer->name;
    all.push_back(std::move(divided));
  }
  return all;
}

/// Of a plan: layers that may be scaled, the channels between them, and tensors of these with a range of their own.
struct Scalable {
  Scalable(const Graph& graph, const QuantPlan& plan)
      : layers(LayersToScale(graph, plan)), groups(FindChannelGroups(graph, layers)) {
    for (const std::string& tensor : plan.RangeTensors()) {
      const auto found = groups.of.find(tensor);
      if (found != groups.of.end() && groups.SetOf(found->second) != 0 && plan.ObservedFor(tensor) == tensor)
        tensors.insert(tensor);
    }
  }
  NodeFilter layers;
  ChannelGroups groups;
  std::set<std::string> tensors;
};

class ScalingHook final : public WriteHook {
 public:
  ScalingHook(const QuantPlan& plan, Scalable scalable, std::map<std::string, ChannelExtremes> extremes)
      : plan_(plan), scalable_(std::move(scalable)), extremes_(std::move(extremes)) {}

  Result<std::vector<DividedChannels>> BeforeWeights(Graph& graph, const PlanParams& params) override {
    const auto& [layers, groups, tensors] = scalable_;
    const ChannelError error(graph, plan_, params, groups, extremes_);
    const std::vector<double> factors = Factors(groups, Limits(graph, groups, params, extremes_), error);
    ScaleChannels(graph, groups, factors, layers);
    return Divided(graph, groups, factors, layers);
  }

 private:
  const QuantPlan& plan_;
  Scalable scalable_;
  std::map<std::string, ChannelExtremes> extremes_;
};

class ChannelScales final : public Algorithm {
 public:
  std::string_view name() const override { return "channel-scales"; }
  std::string_view summary() const override {
    return "scales channels that use few of their tensor's codes, so that they use more";
  }
  bool has_switch() const override { return true; }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    return {.channel_extremes = Scalable(graph, plan).tensors};
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    Scalable scalable(graph, plan);
    std::map<std::string, ChannelExtremes> extremes;
    for (const std::string& tensor : scalable.tensors) {
      const auto seen = collected.channel_extremes.find(tensor);
      extremes[tensor] = seen == collected.channel_extremes.end() ? ChannelExtremes() : seen->second;
    }
    return std::unique_ptr<WriteHook>(std::make_unique<ScalingHook>(plan, std::move(scalable), std::move(extremes)));
  }

 private:
  // Only with the runtime's kernels weights have a scale per channel that costs nothing.
  bool Suits(const Target& target) const override { return target.FollowsRuntime(); }
};

}  // namespace

std::unique_ptr<Algorithm> MakeChannelScalesAlgorithm() { return std::make_unique<ChannelScales>(); }

}  // namespace preon
