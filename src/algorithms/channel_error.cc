#include "algorithms/channel_error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/scaled_layer.h"
#include "formats/int_format.h"

namespace preon {
namespace {

constexpr double kChannelPeak = 5;  // of a channel, in roots of its mean square

double Squared(double value) { return value * value; }

// Of values that lie anywhere between two steps.
double RoundingError(double step) { return Squared(step) / 12; }

double ErrorOfCodes(const PlanParams& params, const std::string& tensor) {
  const ActivationParams* activation = params.Find(tensor);
  return activation != nullptr && activation->has_steps() ? RoundingError(activation->params.scale) : 0;
}

bool AveragesPlaces(const Node& node) {
  return node.Is("AveragePool") || node.Is("GlobalAveragePool") || node.Is("ReduceMean");
}

// Of each value of a tensor, as far as the nodes that lead to it tell, where all factors are 1.
std::map<std::string, double> ErrorsOfActivations(const Graph& graph, const PlanParams& params,
                                                  const ChannelGroups& groups) {
  std::map<std::string, double> errors;
  for (const auto& node : graph.nodes()) {
    const std::string& tensor = node->output();
    if (!groups.of.contains(tensor)) continue;
    double before = 0;
    if (!AveragesPlaces(*node) && !IsScalableLayer(graph, *node)) {
      for (const std::string& input : node->inputs()) before += errors.contains(input) ? errors.at(input) : 0;
    }
    // Others give codes of what they read.
    const bool rounds = node->Is("Add") || AveragesPlaces(*node) || before == 0;
    errors[tensor] = before + (rounds ? ErrorOfCodes(params, tensor) : 0);
  }
  return errors;
}

// Nodes between that keep channels apart have extremes within those of what they read.
const ChannelExtremes* ExtremesBehind(const Graph& graph, std::string tensor,
                                      const std::map<std::string, ChannelExtremes>& extremes) {
  while (!extremes.contains(tensor)) {
    const Node* node = graph.Producer(tensor);
    if (node == nullptr || node->Is("Add") || IsScalableLayer(graph, *node)) return nullptr;
    tensor = node->input(0);
  }
  return &extremes.at(tensor);
}

std::vector<double> MeanSquares(const ChannelExtremes& extremes) {
  std::vector<double> squares;
  for (size_t channel = 0; channel < extremes.max.size(); ++channel) {
    const double most = std::max(std::abs(extremes.min[channel]), std::abs(extremes.max[channel]));
    squares.push_back(std::isfinite(most) ? Squared(most / kChannelPeak) : 0);
  }
  return squares;
}

double StepOfRange(const IntFormat& format) {
  return format.floating() ? 0 : 1 / static_cast<double>(std::max(format.q_max(), -format.q_min()));
}

}  // namespace

ChannelError::ChannelError(const Graph& graph, const QuantPlan& plan, const PlanParams& params,
                           const ChannelGroups& groups, const std::map<std::string, ChannelExtremes>& extremes) {
  const std::map<std::string, double> errors = ErrorsOfActivations(graph, params, groups);
  for (const auto& node : graph.nodes()) {
    const auto read = groups.of.find(node->input(0));
    const auto weight = plan.weights.find(node->input(1));
    if (read == groups.of.end() || weight == plan.weights.end() || !IsScalableLayer(graph, *node)) continue;
    const ChannelExtremes* seen = ExtremesBehind(graph, read->first, extremes);
    if (seen == nullptr || seen->max.size() != read->second.size()) continue;
    const ScaledLayer layer(graph, *node);
    Reader reader{.set = groups.SetOf(read->second), .groups = read->second, .mean_squares = MeanSquares(*seen)};
    const std::vector<double> squares = layer.InputSquares();
    const double given = std::inner_product(squares.begin(), squares.end(), reader.mean_squares.begin(), 0.0);
    if (given <= 0) continue;
    for (const double square : squares) reader.of_activation.push_back(square * errors.at(read->first) / given);
    if (!KeepsChannels(graph, *node)) {
      reader.ranges = layer.PairRanges();
      const double elements = static_cast<double>(layer.weight().size()) / static_cast<double>(reader.ranges.size());
      reader.of_weight = RoundingError(StepOfRange(weight->second.format)) * elements / given;
    }
    readers_.push_back(std::move(reader));
  }
}

double ChannelError::ErrorOf(const Reader& reader, std::span<const double> factors) {
  const size_t channels = reader.groups.size();
  std::vector<double> inverse(channels);
  double of_activation = 0, mean_square = 0, squared_ranges = 0;
  for (size_t channel = 0; channel < channels; ++channel) {
    const double factor = factors[reader.groups[channel]];
    inverse[channel] = 1 / factor;
    of_activation += reader.of_activation[channel] * Squared(inverse[channel]);
    mean_square += reader.mean_squares[channel] * Squared(factor);
  }
  for (size_t first = 0; first < reader.ranges.size(); first += channels) {
    double range = 0;
    for (size_t channel = 0; channel < channels; ++channel)
      range = std::max(range, reader.ranges[first + channel] * inverse[channel]);
    squared_ranges += Squared(range);
  }
  return of_activation + reader.of_weight * squared_ranges * mean_square;
}

std::set<size_t> ChannelError::sets() const {
  std::set<size_t> sets;
  for (const Reader& reader : readers_) {
    if (reader.set != 0) sets.insert(reader.set);
  }
  return sets;
}

bool ChannelError::MixesChannels(size_t set) const {
  return std::ranges::any_of(readers_, [&](const Reader& read) { return read.set == set && !read.ranges.empty(); });
}

double ChannelError::Of(size_t set, std::span<const double> factors) const {
  double error = 0;
  for (const Reader& reader : readers_) {
    if (reader.set == set) error += ErrorOf(reader, factors);
  }
  return error;
}

}  // namespace preon
