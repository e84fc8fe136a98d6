#include "algorithms/channel_scales.h"

#include <algorithm>
#include <set>

#include "algorithms/algorithms.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

constexpr float kLeastFactor = 1.0f / 256;

/// The one Conv that reads the tensor, or null.
Node* OnlyConvReader(const Graph& graph, const std::string& tensor) {
  if (graph.UseCount(tensor) != 1 || graph.IsOutput(tensor) || graph.HasCapturedUse(tensor)) return nullptr;
  const Use use = graph.Uses(tensor).front();
  return use.node->Is("Conv") && use.input == 0 ? use.node : nullptr;
}

/// Integer, with a weight of its own that has a scale per channel, and a bias, if any, of its own.
bool OwnsChannelScales(const Graph& graph, const QuantPlan& plan, const std::set<std::string_view>& integer,
                       const Node& conv) {
  const auto weight = plan.weights.find(conv.input(1));
  const bool own_weight = weight != plan.weights.end() && weight->second.axis == 0 && !weight->second.params &&
                          !weight->second.range && graph.UseCount(conv.input(1)) == 1;
  const std::string& bias = conv.inputs().size() > 2 ? conv.input(2) : std::string();
  const bool own_bias = bias.empty() || (graph.Initializer(bias) != nullptr && graph.UseCount(bias) == 1);
  return integer.contains(conv.name) && own_weight && own_bias;
}

/// The convolution that writes the tensor, with or without a clamp that codes may absorb.
const Node* ConvBehind(const Graph& graph, const QuantPlan& plan, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  if (producer != nullptr && std::ranges::find(plan.folded_clamps, producer->name) != plan.folded_clamps.end()) {
    if (graph.UseCount(producer->input(0)) != 1) return nullptr;
    producer = graph.Producer(producer->input(0));
  }
  return producer != nullptr && producer->Is("Conv") ? producer : nullptr;
}

/// Multiplies the elements of output channel c (axis 0) of an initializer by factor(c).
void MultiplyChannels(Graph& graph, const std::string& initializer, const auto& factor) {
  const Tensor& old = *graph.Initializer(initializer);
  std::vector<float> values(old.floats().begin(), old.floats().end());
  const size_t inner = values.size() / static_cast<size_t>(old.shape()[0]);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(values[i] * factor(i / inner));
  graph.SetInitializer(initializer, Tensor::FromFloats(old.shape(), values));
}

}  // namespace

std::vector<std::string> ScalableTensors(const Graph& graph, const QuantPlan& plan) {
  const std::set<std::string_view> integer = IntegerNodes(plan);
  std::set<std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared.insert({tensor, activation.shares});
    if (!activation.range_of.empty()) shared.insert({tensor, activation.range_of});
  }
  std::vector<std::string> tensors;
  for (const std::string& tensor : plan.RangeTensors()) {
    const Node* reader = OnlyConvReader(graph, tensor);
    const Node* writer = ConvBehind(graph, plan, tensor);
    if (reader == nullptr || writer == nullptr || shared.contains(tensor)) continue;
    if (IsDepthwise(graph, *reader) && OwnsChannelScales(graph, plan, integer, *reader) &&
        OwnsChannelScales(graph, plan, integer, *writer))
      tensors.push_back(tensor);
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

void DivideChannels(Graph& graph, const std::string& tensor, std::span<const float> factors) {
  const Node& writer = *graph.Producer(tensor);
  const Node& reader = *graph.Uses(tensor).front().node;
  const auto divided = [&](size_t channel) { return 1.0 / double{factors[channel]}; };
  MultiplyChannels(graph, writer.input(1), divided);
  if (writer.inputs().size() > 2 && !writer.input(2).empty()) MultiplyChannels(graph, writer.input(2), divided);
  const size_t outputs_per_channel =
      static_cast<size_t>(graph.Initializer(reader.input(1))->shape()[0]) / factors.size();
  MultiplyChannels(graph, reader.input(1),
                   [&](size_t output) { return double{factors[output / outputs_per_channel]}; });
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
      DivideChannels(graph, tensor, divided.back().factors);
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
