#include "search/mixed_precision.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/text.h"
#include "pipeline/write_plan.h"
#include "quantize/settings/node_selection.h"
#include "search/output_distance.h"
#include "search/precision_cache.h"
#include "search/precision_candidates.h"

namespace preon {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string TypesOf(const LayerOverride& layer) {
  std::string types;
  for (const auto* role : {&layer.input, &layer.weight}) {
    if (*role && (*role)->type) types += (types.empty() ? "" : "/") + (*role)->type->name();
  }
  return types;
}

class PrecisionSearch {
 public:
  PrecisionSearch(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                  const FallbackPlanner& fallback, Trials& trials, const PrecisionOptions& options)
      : prepared_(prepared),
        method_(method),
        inputs_(inputs),
        fallback_(fallback),
        trials_(trials),
        options_(options),
        metric_(options.metric) {
    inputs_.chosen = &chosen_ranges_;
    if (metric_.samples > 0) runs_.most = std::min(runs_.most, static_cast<size_t>(metric_.samples));
    // Hardware that is not this machine has none of the runtime's kernels, which may saturate in between.
    if (!fallback.FollowsRuntime()) runs_.optimization = Optimization::kOff;
  }

  Result<PrecisionChoice> Run() {
    PREON_RETURN_IF_ERROR(Describe());
    PREON_ASSIGN_OR_RETURN(std::vector<PrecisionCandidate> candidates,
                           FindPrecisionCandidates(prepared_.model.graph, prepared_.plan, options_.candidates));
    if (candidates.empty())
      return Error(ErrorId::kNothingToQuantize, prepared_.model.source_path,
                   ": mixed precision: the plan quantizes no layer that may change");
    PREON_ASSIGN_OR_RETURN(const double base, DistanceWith({}));
    distances_[0] = base;
    trials_.Expect(static_cast<int64_t>(candidates.size() * options_.forms.size()));
    if (!MayStart(base)) return std::move(found_);
    Result<size_t> changed = Search(std::move(candidates));
    result().interrupted = !changed.ok() && changed.status().id() == ErrorId::kCancelled;
    if (result().interrupted) changed = BestKnown();  // Ctrl-C ends the search, not the run
    if (!changed.ok()) return changed.status();
    FillPoints(*changed);
    return Finish(*changed);
  }

 private:
  PrecisionResult& result() { return found_.result; }

  Result<size_t> Search(std::vector<PrecisionCandidate> candidates) {
    PREON_RETURN_IF_ERROR(Rank(std::move(candidates)));
    PREON_ASSIGN_OR_RETURN(const size_t changed, Choose());
    PREON_RETURN_IF_ERROR(RunQuarters());
    return changed;
  }

  Status Describe() {
    const std::vector<std::string>& outputs = prepared_.model.graph.outputs();
    if (metric_.output >= std::ssize(outputs))
      return Error(ErrorId::kBadOptionValue, "metric_output_index: got ", metric_.output, ", but the model has ",
                   outputs.size(), " outputs");
    output_ = outputs[static_cast<size_t>(metric_.output)];
    result().metric = metric_.distance.name();
    result().output = output_;
    result().threshold = metric_.threshold;
    result().raises = metric_.raises;
    for (const auto& form : options_.forms) result().forms.push_back(TypesOf(form.front()));
    return Status::Ok();
  }

  // Lower precision needs a model that is near enough to start with, higher precision one that is not.
  bool MayStart(double base) {
    if (!metric_.threshold || *metric_.threshold == 0) return true;
    const bool near = base <= *metric_.threshold;
    if (near == !metric_.raises) return true;
    result().why_not = StrCat(result().metric, " is ", base, ", ", near ? "within" : "beyond", " the threshold of ",
                              *metric_.threshold, " already");
    return false;
  }

  // What the nodes get: the layer of the form that names them, else the one that names none.
  void AddLayers(const std::vector<std::string>& nodes, size_t form, std::vector<LayerOverride>& layers) const {
    std::map<const LayerOverride*, std::vector<std::string>> nodes_of;
    for (const std::string& name : nodes) {
      const Node& node = *prepared_.model.graph.FindNode(name);
      const LayerOverride* own = nullptr;
      for (const LayerOverride& layer : options_.forms[form]) {
        const std::vector<std::string>& names = layer.selectors.patterns;
        if (names.empty() ? own == nullptr : StandsForOne(node, {names.begin(), names.end()})) own = &layer;
      }
      if (own != nullptr) nodes_of[own].push_back(name);
    }
    for (const LayerOverride& layer : options_.forms[form]) {
      const auto found = nodes_of.find(&layer);
      if (found == nodes_of.end()) continue;
      LayerOverride& added = layers.emplace_back(layer);
      added.selectors.patterns = found->second;
      added.selectors.nodes = {found->second.begin(), found->second.end()};
    }
  }

  // Of the first so many candidates.
  std::vector<LayerOverride> LayersOf(size_t changed) const {
    std::map<size_t, std::vector<std::string>> nodes_of_form;
    for (const PrecisionCandidate& candidate : std::span(found_.result.candidates).first(changed)) {
      std::vector<std::string>& nodes = nodes_of_form[candidate.form];
      nodes.insert(nodes.end(), candidate.nodes.begin(), candidate.nodes.end());
    }
    std::vector<LayerOverride> layers;
    for (const auto& [form, nodes] : nodes_of_form) AddLayers(nodes, form, layers);
    return layers;
  }

  Result<double> DistanceWith(const std::vector<LayerOverride>& layers) {
    PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
    ++result().trials;
    std::optional<QuantPlan> plan = prepared_.plan;
    if (!layers.empty()) {
      PREON_ASSIGN_OR_RETURN(plan, fallback_.PlanWithLayers(layers, prepared_));
    }
    if (!plan) return kNever;
    PREON_ASSIGN_OR_RETURN(const Model quantized,
                           WritePlan(prepared_.model, *plan, method_, inputs_, trials_.context()));
    return DistanceFromFloat(quantized, metric_.distance, output_, runs_, trials_);
  }

  // Candidates without scores. One that can't change is the last one; where none can, the last reason is the error.
  Status Score(std::vector<PrecisionCandidate>& candidates) {
    Status failed;
    for (PrecisionCandidate& candidate : candidates) {
      if (!candidate.scores.empty()) continue;
      std::vector<double> scores;
      for (size_t form = 0; form < options_.forms.size(); ++form) {
        std::vector<LayerOverride> layers;
        AddLayers(candidate.nodes, form, layers);
        const Result<double> score = layers.empty() ? Result<double>(kNever) : DistanceWith(layers);
        if (!score.ok() && score.status().id() == ErrorId::kCancelled) return score.status();
        if (!score.ok()) failed = score.status();
        candidate.why_not = score.ok() ? "the target has no model with these types" : failed.message();
        scores.push_back(score.ok() ? *score : kNever);
      }
      candidate.SetScores(std::move(scores));
    }
    const auto can_change = [](const PrecisionCandidate& each) { return each.score() < kNever; };
    return std::ranges::any_of(candidates, can_change) ? Status::Ok() : failed;
  }

  Status Rank(std::vector<PrecisionCandidate> candidates) {
    const std::string key = PrecisionKey(prepared_, candidates, options_);
    if (!options_.cache.empty()) {
      PREON_ASSIGN_OR_RETURN(result().cache,
                             LoadPrecisionScores(options_.cache, key, options_.forms.size(), candidates));
    }
    const Status scored = Score(candidates);
    if (!options_.cache.empty()) PREON_RETURN_IF_ERROR(SavePrecisionScores(options_.cache, key, candidates));
    const auto can_change = [](const PrecisionCandidate& each) { return each.enabled && each.score() < kNever; };
    std::ranges::stable_sort(candidates, {}, &PrecisionCandidate::score);
    std::ranges::stable_partition(candidates, can_change);
    possible_ = static_cast<size_t>(std::ranges::count_if(candidates, can_change));
    if (possible_ > 0) distances_[1] = candidates.front().score();  // that model has been run
    result().candidates = std::move(candidates);
    return scored;
  }

  Result<double> DistanceAt(size_t changed) {
    const auto known = distances_.find(changed);
    if (known != distances_.end()) return known->second;
    PREON_ASSIGN_OR_RETURN(const double distance, DistanceWith(LayersOf(changed)));
    distances_[changed] = distance;
    return distance;
  }

  bool ChangesAll() const { return *metric_.threshold == 0; }
  // Beyond it is also what can't be had.
  double Limit() const { return ChangesAll() ? std::numeric_limits<double>::max() : *metric_.threshold; }

  // How many change. The distance grows, or falls, with the number but for chance: the two models around the border are
  // both run, so what is chosen keeps what it promises.
  Result<size_t> Choose() {
    if (!metric_.threshold) return size_t{0};
    const auto is_near = [&](size_t changed) -> Result<bool> {
      PREON_ASSIGN_OR_RETURN(const double distance, DistanceAt(changed));
      return distance <= Limit();
    };
    const bool takes_fewest = metric_.raises && !ChangesAll();
    PREON_ASSIGN_OR_RETURN(const bool all_near, is_near(possible_));
    if (all_near && !takes_fewest) return possible_;
    if (!all_near && takes_fewest) {
      PREON_RETURN_IF_ERROR(RunQuarters());
      // Quark changes one after the other, and ends with all.
      const bool reached = distances_.at(BestKnown()) <= *metric_.threshold;
      return prepared_.plan.compat == Compat::kQuark && !reached ? possible_ : BestKnown();
    }
    size_t low = 0, high = possible_;
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      PREON_ASSIGN_OR_RETURN(const bool near, is_near(middle));
      (near == takes_fewest ? high : low) = middle;
    }
    return takes_fewest ? high : low;
  }

  // Of the models that have been run. Lower precision: the most that keep within the threshold; higher: the fewest that
  // reach it, else the nearest.
  size_t BestKnown() const {
    if (!metric_.threshold) return 0;
    size_t best = 0;
    for (const auto& [changed, distance] : distances_) {
      if (metric_.raises && distances_.at(best) <= *metric_.threshold) break;
      if (metric_.raises ? distance < distances_.at(best) : distance <= Limit()) best = changed;
    }
    return best;
  }

  double WorkOf(const std::vector<std::string>& nodes) const {
    double macs = 0;
    for (const NodeDecision& decision : prepared_.plan.nodes) {
      if (std::ranges::find(nodes, decision.node) != nodes.end()) macs += decision.macs;
    }
    return macs;
  }

  // Quarters beside what the bisection has run, so that the front shows the whole way.
  Status RunQuarters() {
    for (const size_t changed : {possible_ / 4, possible_ / 2, possible_ * 3 / 4, possible_})
      PREON_RETURN_IF_ERROR(DistanceAt(changed).status());
    return Status::Ok();
  }

  void FillPoints(size_t chosen) {
    double all = 0;
    for (const PrecisionCandidate& candidate : result().candidates) all += WorkOf(candidate.nodes);
    for (const auto& [changed, distance] : distances_) {
      double work = 0;
      for (const PrecisionCandidate& candidate : std::span(result().candidates).first(changed))
        work += WorkOf(candidate.nodes);
      const double share =
          all > 0 ? work / all : static_cast<double>(changed) / static_cast<double>(result().candidates.size());
      result().points.push_back(
          {.changed = changed, .distance = distance, .share = share, .chosen = changed == chosen});
    }
    for (PrecisionPoint& point : result().points) {
      const auto beats = [&](const PrecisionPoint& other) {
        const bool lower = metric_.raises ? other.changed < point.changed : other.changed > point.changed;
        return lower && other.distance <= point.distance;
      };
      point.on_front = std::ranges::none_of(result().points, beats);
    }
  }

  Result<PrecisionChoice> Finish(size_t changed) {
    for (PrecisionCandidate& candidate : std::span(result().candidates).first(changed)) candidate.changed = true;
    found_.layers = LayersOf(changed);
    if (!found_.layers.empty()) {
      PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> plan, fallback_.PlanWithLayers(found_.layers, prepared_));
      prepared_.plan = *std::move(plan);  // it has been run
    }
    return std::move(found_);
  }

  PlannedModel& prepared_;
  const RangeMethod& method_;
  PlanInputs inputs_;
  ChosenRanges chosen_ranges_;  // plans differ in few tensors
  const FallbackPlanner& fallback_;
  Trials& trials_;
  const PrecisionOptions& options_;
  const PrecisionMetric& metric_;
  PrecisionChoice found_;
  TrialRuns runs_;
  std::string output_;
  size_t possible_ = 0;                 // candidates that can change: the first ones
  std::map<size_t, double> distances_;  // by the number of changed candidates
};

}  // namespace

Result<PrecisionChoice> MixPrecision(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                                     const FallbackPlanner& fallback, Trials& trials, const PrecisionOptions& options) {
  if (trials.samples().runs().empty())
    return Error(ErrorId::kMissingOption, "mixed precision: needs --data SRC: candidates are run on samples");
  return PrecisionSearch(prepared, method, inputs, fallback, trials, options).Run();
}

}  // namespace preon
