#include "algorithms/channel_groups.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "algorithms/scaled_layer.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// Numbers that become one where channels have to have the same factor; 0 is that of all that stay.
class DisjointSets {
 public:
  std::vector<size_t> Add(size_t count) {
    std::vector<size_t> added(count);
    std::iota(added.begin(), added.end(), parents_.size());
    parents_.insert(parents_.end(), added.begin(), added.end());
    return added;
  }
  size_t Root(size_t set) {
    while (parents_[set] != set) set = parents_[set] = parents_[parents_[set]];
    return set;
  }
  // The smaller number stays the root, so that 0 does.
  void Unite(size_t a, size_t b) {
    const size_t first = Root(a), second = Root(b);
    parents_[std::max(first, second)] = std::min(first, second);
  }
  size_t size() const { return parents_.size(); }

 private:
  std::vector<size_t> parents_ = {0};
};

// Its elements are chosen along other axes than batch and channels.
bool SlicesPlaces(const Graph& graph, const Node& slice) {
  const std::optional<std::vector<int64_t>> axes = IntsOf(graph, slice, 3, "axes");
  return axes && std::ranges::all_of(*axes, [](int64_t axis) { return axis >= 2; });
}

// Takes places away, of which there is one.
bool DropsOnePlace(const Graph& graph, const Node& node) {
  if (!node.Is("Flatten") && !node.Is("Reshape") && !node.Is("Squeeze")) return false;
  const std::optional<Moved> moved = MoveChannels(graph, node, {.rank = 4, .axis = 1});
  return moved && moved->rank == 2 && moved->axis == 1;
}

bool IsClipAboveZero(const Graph& graph, const Node& node) {
  const std::optional<Range> range = node.Is("Clip") ? ClampRange(graph, node) : std::nullopt;
  return range && range->min == 0;
}

bool KeepsChannelsApart(const Graph& graph, const Node& node) {
  const bool pools = node.Is("MaxPool") || node.Is("AveragePool") || node.Is("GlobalAveragePool");
  return pools || KeepsFactors(graph, node) || IsClipAboveZero(graph, node) ||
         (node.Is("Slice") && SlicesPlaces(graph, node)) || DropsOnePlace(graph, node);
}

std::vector<size_t> SetsOfGroups(const ChannelGroups& groups) {
  DisjointSets sets;
  sets.Add(groups.count);
  for (const auto& [tensor, channels] : groups.of) {
    size_t first = 0;
    for (const size_t group : channels) {
      if (first == 0) first = group;
      if (group != 0) sets.Unite(first, group);
    }
  }
  std::vector<size_t> numbers;
  for (size_t group = 0; group < groups.count; ++group) numbers.push_back(sets.Root(group));
  return numbers;
}

class Finder {
 public:
  Finder(const Graph& graph, const NodeFilter& quantized) : graph_(graph), quantized_(quantized) {}

  ChannelGroups Run() {
    for (const auto& node : graph_.nodes()) Visit(*node);
    for (const auto& [tensor, sets] : sets_of_) {
      if (graph_.IsOutput(tensor) || graph_.HasCapturedUse(tensor)) Fix(tensor);
    }
    ChannelGroups groups{.of = sets_of_, .count = sets_.size()};
    for (auto& [tensor, sets] : groups.of) {
      for (size_t& set : sets) set = sets_.Root(set);
    }
    groups.sets = SetsOfGroups(groups);
    return groups;
  }

 private:
  void Visit(const Node& node) {
    if (quantized_(node) && IsScalableLayer(graph_, node)) return VisitLayer(node);
    if (std::optional<std::vector<size_t>> sets = Behind(node))
      sets_of_[node.output()] = *std::move(sets);
    else
      FixInputs(node);
  }

  // Nullopt where channels do not go through the node one by one.
  std::optional<std::vector<size_t>> Behind(const Node& node) {
    const std::vector<size_t>* data = SetsOf(node.input(0));
    if (data == nullptr) return std::nullopt;
    if (KeepsChannelsApart(graph_, node)) return *data;
    if (const auto pads = ChannelPadsOf(graph_, node)) return Padded(*data, *pads);
    if (!node.Is("Add") || !HaveSameChannels(node)) return std::nullopt;
    const std::vector<size_t>& second = *SetsOf(node.input(1));
    for (size_t channel = 0; channel < data->size(); ++channel) sets_.Unite((*data)[channel], second[channel]);
    return *data;
  }

  void VisitLayer(const Node& layer) {
    for (size_t input = ReadsChannels(layer) ? 1 : 0; input < layer.inputs().size(); ++input) Fix(layer.input(input));
    if (!layer.Is("Conv") || !CanScaleOutputs(graph_, layer)) return;
    sets_of_[layer.output()] = sets_.Add(static_cast<size_t>(FloatConstant(graph_, layer.input(1))->shape()[0]));
  }

  // The same channels among new ones of zeros.
  std::vector<size_t> Padded(const std::vector<size_t>& data, const ChannelPads& pads) {
    std::vector<size_t> padded = sets_.Add(static_cast<size_t>(pads.before));
    padded.insert(padded.end(), data.begin(), data.end());
    const std::vector<size_t> behind = sets_.Add(static_cast<size_t>(pads.behind));
    padded.insert(padded.end(), behind.begin(), behind.end());
    return padded;
  }

  // Neither side has another rank, which would put its channels elsewhere.
  bool HaveSameChannels(const Node& add) const {
    const std::vector<size_t>*first = SetsOf(add.input(0)), *second = SetsOf(add.input(1));
    const std::optional<Shape> a = graph_.ShapeOf(add.input(0)), b = graph_.ShapeOf(add.input(1));
    return first != nullptr && second != nullptr && first->size() == second->size() && a && b && a->size() == b->size();
  }

  const std::vector<size_t>* SetsOf(const std::string& tensor) const {
    const auto found = sets_of_.find(tensor);
    return found == sets_of_.end() ? nullptr : &found->second;
  }

  void Fix(const std::string& tensor) {
    if (const std::vector<size_t>* sets = SetsOf(tensor)) {
      for (const size_t set : *sets) sets_.Unite(0, set);
    }
  }

  void FixInputs(const Node& node) {
    for (const std::string& input : node.inputs()) Fix(input);
  }

  const Graph& graph_;
  const NodeFilter& quantized_;
  DisjointSets sets_;
  std::map<std::string, std::vector<size_t>> sets_of_;
};

// Nullopt where none of the channels is scaled.
std::optional<std::vector<double>> FactorsOfChannels(const ChannelGroups& groups, const std::string& tensor,
                                                     const std::vector<double>& factors, bool inverse) {
  const auto found = groups.of.find(tensor);
  if (found == groups.of.end()) return std::nullopt;
  std::vector<double> of_channels;
  for (const size_t group : found->second) of_channels.push_back(inverse ? 1 / factors[group] : factors[group]);
  if (std::ranges::count(of_channels, 1.0) == std::ssize(of_channels)) return std::nullopt;
  return of_channels;
}

}  // namespace

size_t ChannelGroups::SetOf(const std::vector<size_t>& channels) const {
  const auto scaled = std::ranges::find_if(channels, [](size_t group) { return group != 0; });
  return scaled == channels.end() ? 0 : sets[*scaled];
}

ChannelGroups FindChannelGroups(const Graph& graph, const NodeFilter& quantized) {
  return Finder(graph, quantized).Run();
}

bool ScaleChannels(Graph& graph, const ChannelGroups& groups, const std::vector<double>& factors,
                   const NodeFilter& quantized) {
  bool changed = false;
  for (const auto& node : graph.nodes()) {
    if (!quantized(*node) || !IsScalableLayer(graph, *node)) continue;
    const auto read = FactorsOfChannels(groups, node->input(0), factors, true);
    const auto written = FactorsOfChannels(groups, node->output(), factors, false);
    if (!read && !written) continue;
    ScaledLayer layer(graph, *node);
    if (read) layer.ScaleInputs(*read);
    if (written) {
      layer.ScaleOutputs(*written);
      layer.ScaleBias(*written);
    }
    layer.Store(graph, *node);
    changed = true;
  }
  return changed;
}

}  // namespace preon
