#include "search/fit_size.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "ir/model_io.h"
#include "pipeline/write_plan.h"
#include "report/text_writer.h"
#include "search/error_look.h"

namespace preon {
namespace {

constexpr auto kLayers = std::to_array<std::string_view>({"Conv", "ConvTranspose", "Gemm", "MatMul"});
constexpr int64_t kMetadataBytes = 1024;  // of what is written into the file at the end

// A weight that may get fewer bits, and all that read it.
struct WeightToShrink {
  std::vector<std::string> nodes;
  double saved_bytes = 0, noise = 0;

  double price() const { return noise / saved_bytes; }
};

using Weights = std::vector<WeightToShrink>;

class SizeSearch {
 public:
  SizeSearch(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
             const FallbackPlanner& fallback, Trials& trials, const SizeGoal& goal)
      : prepared_(prepared), method_(method), inputs_(inputs), fallback_(fallback), trials_(trials), goal_(goal) {
    inputs_.chosen = &chosen_ranges_;  // the plans have the same activations
  }

  Result<SizeChoice> Run() {
    SizeChoice choice{.fit = {.most_bytes = goal_.most_bytes, .type = goal_.fewer_bits.weight->type->name()}};
    FindCandidates();
    for (const WeightToShrink& candidate : candidates_) choice.fit.candidates += candidate.nodes.size();
    PREON_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(prepared_.plan));
    if (bytes <= goal_.most_bytes) return choice;
    PREON_ASSIGN_OR_RETURN(const std::optional<QuantPlan> smallest, PlanWith(candidates_));
    if (!smallest) return TooSmall(bytes);
    PREON_ASSIGN_OR_RETURN(const int64_t least, BytesOf(*smallest));
    if (least > goal_.most_bytes) return TooSmall(least);
    PREON_RETURN_IF_ERROR(Rank(*smallest));
    size_t count = 0;
    std::optional<QuantPlan> plan;
    while (bytes > goal_.most_bytes) {  // again where parameters of new types take more than a weight saves
      if (count == candidates_.size()) return TooSmall(bytes);
      count = CountToSave(count, static_cast<double>(bytes - goal_.most_bytes));
      PREON_ASSIGN_OR_RETURN(plan, PlanWith(std::span(candidates_).first(count)));
      if (!plan) return TooSmall(least);
      PREON_ASSIGN_OR_RETURN(bytes, BytesOf(*plan));
    }
    Weights chosen(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count));
    if (GiveBack(static_cast<double>(goal_.most_bytes - bytes), chosen)) {
      PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> fewer, PlanWith(chosen));
      if (fewer) plan = std::move(fewer);
    }
    prepared_.plan = *std::move(plan);
    choice.layers = {LayerOf(chosen)};
    choice.fit.layers = choice.layers.front().selectors.patterns;
    return choice;
  }

 private:
  void FindCandidates() {
    const Graph& graph = prepared_.model.graph;
    for (const auto& [name, weight] : prepared_.plan.weights) {
      const bool is_layers = std::ranges::all_of(weight.nodes, [&](const std::string& node) {
        return Contains(kLayers, graph.FindNode(node)->op_type) && graph.FindNode(node)->input(1) == name;
      });
      if (weight.nodes.empty() || !is_layers || weight.block || !IsByte(weight.format.type)) continue;
      candidates_.push_back({weight.nodes, static_cast<double>(graph.Initializer(name)->count()) / 2});
    }
  }

  Status TooSmall(int64_t least) const {
    return Error(ErrorId::kSizeNotReached, "--size: wanted at most ", BytesText(goal_.most_bytes),
                 "; with 4-bit weights in all layers that can have them the file takes ", BytesText(least));
  }

  LayerOverride LayerOf(std::span<const WeightToShrink> weights) const {
    LayerOverride layer = goal_.fewer_bits;
    for (const WeightToShrink& weight : weights)
      layer.selectors.patterns.insert(layer.selectors.patterns.end(), weight.nodes.begin(), weight.nodes.end());
    layer.selectors.nodes = {layer.selectors.patterns.begin(), layer.selectors.patterns.end()};
    return layer;
  }

  Result<std::optional<QuantPlan>> PlanWith(std::span<const WeightToShrink> weights) const {
    if (weights.empty()) return std::optional<QuantPlan>();
    return fallback_.PlanWithLayers({LayerOf(weights)}, prepared_);
  }

  Result<int64_t> BytesOf(const QuantPlan& plan) {
    PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const Model written, WritePlan(prepared_.model, plan, method_, inputs_, trials_.context()));
    PREON_ASSIGN_OR_RETURN(const std::string bytes, SerializeModel(written));
    return static_cast<int64_t>(bytes.size()) + kMetadataBytes;
  }

  Status Rank(const QuantPlan& smallest) {
    PlannedModel planned = prepared_;
    planned.plan = smallest;
    PREON_ASSIGN_OR_RETURN(const ErrorLook look, LookAtErrors(planned, method_, inputs_, trials_));
    for (WeightToShrink& candidate : candidates_) {
      for (const std::string& node : candidate.nodes) {
        const auto noise = look.sources.weights.find(node);
        const bool is_known = noise != look.sources.weights.end();
        candidate.noise += is_known ? noise->second : std::numeric_limits<double>::infinity();
      }
    }
    std::ranges::stable_sort(candidates_, {}, &WeightToShrink::price);
    return Status::Ok();
  }

  // So many more than `count` as save these bytes, or all.
  size_t CountToSave(size_t count, double bytes) const {
    do bytes -= candidates_[count++].saved_bytes;
    while (bytes > 0 && count < candidates_.size());
    return count;
  }

  // The last weight may save more than was missing: others, that make the most noise first, keep their bits.
  static bool GiveBack(double bytes, Weights& chosen) {
    std::ranges::stable_sort(chosen, std::greater(), &WeightToShrink::noise);
    return std::erase_if(chosen, [&](const WeightToShrink& weight) {
             if (weight.saved_bytes > bytes) return false;
             bytes -= weight.saved_bytes;
             return true;
           }) > 0;
  }

  PlannedModel& prepared_;
  const RangeMethod& method_;
  PlanInputs inputs_;
  ChosenRanges chosen_ranges_;
  const FallbackPlanner& fallback_;
  Trials& trials_;
  const SizeGoal& goal_;
  Weights candidates_;
};

}  // namespace

Result<SizeChoice> FitSize(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                           const FallbackPlanner& fallback, Trials& trials, const SizeGoal& goal) {
  if (trials.samples().runs().empty())
    return Error(ErrorId::kMissingOption,
                 "--size: needs samples to measure how much accuracy each layer loses: add --data SRC, and leave out "
                 "--save-and-restore if its FILE exists already");
  return SizeSearch(prepared, method, inputs, fallback, trials, goal).Run();
}

}  // namespace preon
