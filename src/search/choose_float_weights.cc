// The error of rounded weights adds up with that of the integer nodes, so it is measured alone: in the float model,
// with nothing else rounded. There, a little less or more noise is a little less or more; in the quantized model it
// moves values over the edges of codes, and its SQNR changes by some tenths of a decibel either way, by chance.
#include "search/choose_float_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "eval/compare_models.h"
#include "eval/error_sums.h"
#include "ir/constant_value.h"
#include "ir/model_io.h"
#include "quantize/write/float_weight_writer.h"
#include "quantize/write/scaled_axes.h"
#include "report/text_writer.h"

namespace preon {
namespace {

// Codes of integer nodes that are fitted later take up to half of the error away; then this is 0.2.
constexpr double kMostLossDb = 0.1;
// Against float16, of all float weights. Less is not worth a trial.
constexpr double kLeastSavedShare = 0.01;
constexpr int64_t kLeastSavedBytes = 16'384;
constexpr size_t kMostGroups = 8, kRuns = 4;

// Float nodes one after the other, and what their weights take.
struct Group {
  std::set<std::string> nodes;
  int64_t bytes = 0;
  double noise = 0;  // over signal, at the outputs
};

struct WeightsInFloat {
  std::vector<Group> nodes;
  int64_t bytes = 0, of_model = 0;  // of these nodes; of all, with constants that are no weights
};

// Those that may become int8. What several nodes read counts once for each.
WeightsInFloat FloatWeightsOf(const Graph& graph, const QuantPlan& plan) {
  WeightsInFloat weights;
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    if (node == nullptr) continue;
    Group one{.nodes = {decision.node}};
    for (size_t input = 0; input < node->inputs().size(); ++input) {
      if (!IsFloatConstant(graph, node->input(input))) continue;
      const Tensor& constant = *graph.Initializer(node->input(input));
      const auto bytes = static_cast<int64_t>(constant.bytes().size());
      weights.of_model += bytes;
      if (ScaledAxesOf(*node, input, constant.shape().size())) one.bytes += bytes;
    }
    const bool stays = decision.reason == FloatReason::kNone || decision.reason == FloatReason::kExcluded;
    if (stays || one.bytes == 0) continue;
    weights.bytes += one.bytes;
    weights.nodes.push_back(std::move(one));
  }
  return weights;
}

// Neighbours, so that each group has about the same number of bytes.
std::vector<Group> Grouped(WeightsInFloat weights) {
  std::vector<Group> groups;
  const int64_t each = weights.bytes / static_cast<int64_t>(kMostGroups) + 1;
  for (Group& node : weights.nodes) {
    if (groups.empty() || groups.back().bytes >= each) groups.emplace_back();
    groups.back().bytes += node.bytes;
    groups.back().nodes.merge(node.nodes);
  }
  return groups;
}

class Choice {
 public:
  Choice(const PlannedModel& planned, Trials& trials, double before_db)
      : planned_(planned),
        trials_(trials),
        before_db_(before_db),
        most_noise_(std::pow(10, -before_db / 10) * (std::pow(10, kMostLossDb / 10) - 1)) {}

  Result<std::optional<FloatWeights>> Run(WeightsInFloat weights) {
    for (const Group& node : weights.nodes) all_.insert(node.nodes.begin(), node.nodes.end());
    PREON_ASSIGN_OR_RETURN(const double noise, NoiseOf(all_));
    if (noise <= most_noise_) return std::optional(Chosen(all_, noise));
    std::vector<Group> groups = Grouped(std::move(weights));
    if (groups.size() < 2) return std::optional<FloatWeights>();
    for (Group& group : groups) {
      PREON_ASSIGN_OR_RETURN(group.noise, NoiseOf(group.nodes));
    }
    std::ranges::sort(groups, {}, [](const Group& group) { return group.noise / static_cast<double>(group.bytes); });
    double sum = 0;
    std::set<std::string> nodes;
    for (Group& group : groups) {
      if (sum + group.noise > most_noise_) continue;
      sum += group.noise;
      nodes.merge(group.nodes);
    }
    if (nodes.empty()) return std::optional<FloatWeights>();
    return std::optional(Chosen(nodes, sum));
  }

 private:
  FloatWeights Chosen(const std::set<std::string>& nodes, double noise) const {
    FloatWeights weights{.smallest = FloatStorage::kInt8, .int8_nodes = nodes};
    std::ranges::set_difference(all_, nodes, std::inserter(weights.costly, weights.costly.end()));
    TextWriter why;
    why.Add("measured: rounding the weights of these nodes to int8 leaves %.1f dB, the integer nodes %.1f dB",
            -10 * std::log10(std::max(noise, 1e-20)), before_db_);
    weights.why = why.Take();
    TextWriter costly;
    costly.Add("measured: with int8 for these nodes, too, the outputs would lose more than %.1f dB", kMostLossDb);
    weights.why_costly = costly.Take();
    return weights;
  }

  // Of the float model in which these nodes alone have rounded weights.
  Result<double> NoiseOf(const std::set<std::string>& nodes) {
    QuantPlan plan;
    plan.float_weights.smallest = FloatStorage::kInt8;
    for (const NodeDecision& decision : planned_.plan.nodes) {
      plan.nodes.push_back(decision);
      if (!nodes.contains(decision.node)) plan.nodes.back() = {.node = decision.node};  // keeps its weights
    }
    Model model = planned_.model;
    PREON_RETURN_IF_ERROR(StoreFloatWeights(model.graph, plan).status());
    MeanError error({});
    trials_.Expect(1);
    PREON_RETURN_IF_ERROR(trials_.Visit(
        model, {}, [&](const auto& float_outputs, const auto& got) { return error.Add(float_outputs, got).status(); }));
    return std::pow(10, -error.SqnrDb().value_or(0) / 10);
  }

  const PlannedModel& planned_;
  Trials& trials_;
  const double before_db_, most_noise_;
  std::set<std::string> all_;
};

}  // namespace

Result<std::optional<FloatWeights>> ChooseFloatWeights(const PlannedModel& planned, Trials& trials,
                                                       const TrialError& before) {
  if (HasLargeWeights(planned.model.graph)) return std::optional<FloatWeights>();
  WeightsInFloat weights = FloatWeightsOf(planned.model.graph, planned.plan);
  const int64_t saved = weights.bytes / 4;
  if (saved < kLeastSavedBytes || static_cast<double>(saved) < kLeastSavedShare * static_cast<double>(weights.of_model))
    return std::optional<FloatWeights>();
  return Choice(planned, trials, before.some.sqnr_db).Run(std::move(weights));
}

}  // namespace preon
