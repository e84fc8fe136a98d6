#include "search/accuracy_fallback.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "ir/model_io.h"
#include "pipeline/write_plan.h"
#include "quantize/plan/estimated_time.h"
#include "search/error_look.h"
#include "search/fallback_terms.h"
#include "search/runtime_placement.h"
#include "search/speed_check.h"

namespace preon {
namespace {

constexpr double kFineDb = 30;  // no search from here on
// Of all together. A result that is good gains by nothing less than half the error.
constexpr double kGoodDb = 25, kLeastGainOfPoorDb = 1, kLeastGainDb = 3, kLeastGainOfGoodDb = 6;
constexpr double kLeastCost = 0.01;    // what is cheaper counts as this much
constexpr double kLeastBelief = 0.05;  // a trial has few samples
constexpr double kLeastPromise = 0.5;  // of what is missing, from one group: else there is no further look
constexpr size_t kMaxTrials = 20, kMaxFruitless = 8;
constexpr int kMaxLooks = 4;
constexpr int kMeasurements = 2;  // before a plan counts as slow: other programs disturb one

double LeastGainDb(double before_db) {
  if (before_db >= kGoodDb) return kLeastGainOfGoodDb;
  return std::lerp(kLeastGainOfPoorDb, kLeastGainDb, std::clamp((before_db - kPoorDb) / (kGoodDb - kPoorDb), 0.0, 1.0));
}

// A plan that was kept, and what it brings with all that were kept before.
struct Step {
  NodeGroup nodes;
  QuantPlan plan;
  double after_db, cost;
  size_t trial;
  bool is_fast;  // measured
};

double Score(const FloatGroup& group, const FallbackTerms& terms) {
  return terms.Worth(group.gain_db) / std::max(group.cost, kLeastCost);
}

class FallbackSearch {
 public:
  FallbackSearch(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                 const FallbackPlanner& fallback, Trials& trials)
      : prepared_(prepared),
        method_(method),
        inputs_(inputs),
        fallback_(fallback),
        trials_(trials),
        kept_plan_(prepared.plan) {}

  Result<AccuracyFallback> Run(const FallbackStart& start) {
    const double sqnr_db = start.error.sqnr_db;
    const size_t left_float = prepared_.left_float.size();
    PREON_RETURN_IF_ERROR(LeaveNotFused(prepared_, method_, inputs_, fallback_, trials_.context()));
    kept_plan_ = prepared_.plan;
    products_ = IntegerProducts(kept_plan_);
    PREON_RETURN_IF_ERROR(Look());
    base_ns_ = kept_ns_ = EstimatedNs(graph_, kept_plan_);
    RunsError before = start.error.some;
    if (prepared_.left_float.size() > left_float) {
      PREON_ASSIGN_OR_RETURN(const std::optional<TrialError> now,
                             trials_.Run(prepared_.model, kept_plan_, method_, inputs_, TrialSize::kSome));
      if (!now) return AccuracyFallback{.before_db = sqnr_db, .after_db = sqnr_db};
      before = now->some;
    }
    typical_db_ = before.typical_db;
    AccuracyFallback result{.before_db = before.sqnr_db, .after_db = before.sqnr_db};
    while (result.trials.size() < kMaxTrials && fruitless_ < kMaxFruitless && result.after_db < kFineDb) {
      const bool poor = sqnr_db < kPoorDb && result.after_db < kEnoughOfPoorDb;
      if (poor) spent_while_poor_ = std::max(0.0, result.cost);
      const FallbackTerms terms{start.budget.value_or(poor ? kBudgetOfPoor : spent_while_poor_ + kBudget),
                                poor ? kEnoughOfPoorDb - result.after_db : 0};
      PREON_ASSIGN_OR_RETURN(Outlook outlook, LookAhead(terms));
      if (!is_seen_) {
        if (outlook.largest_gain_db < kLeastPromise * MissingDb(result)) break;
        PREON_RETURN_IF_ERROR(Look());
        PREON_ASSIGN_OR_RETURN(outlook, LookAhead(terms));
      }
      if (!outlook.best) break;
      PREON_RETURN_IF_ERROR(Try(*std::move(outlook.best), terms, result));
    }
    if (MissingDb(result) <= 0) PREON_RETURN_IF_ERROR(DropSlow(result));
    return Settle(std::move(result));
  }

 private:
  Result<Model> Written(const QuantPlan& plan) const {
    return WritePlan(prepared_.model, plan, method_, inputs_, trials_.context());
  }

  // Where the noise of the plan that is kept arises, and the shapes of a run.
  Status Look() {
    ++looks_;
    is_seen_ = true;
    const PlannedModel kept{prepared_.model, kept_plan_, {}};
    PREON_ASSIGN_OR_RETURN(ErrorLook look, LookAtErrors(kept, method_, inputs_, trials_));
    sources_ = std::move(look.sources);
    graph_ = std::move(look.graph);
    return Status::Ok();
  }

  // Until the result as a whole counts.
  static double MissingDb(const AccuracyFallback& result) {
    return LeastGainDb(result.before_db) - (result.after_db - result.before_db);
  }

  // What the groups within the budget promise, by the last look and what the trials since then told.
  struct Outlook {
    std::optional<FloatGroup> best;
    double largest_gain_db = 0;
  };

  Result<Outlook> LookAhead(const FallbackTerms& terms) {
    Outlook outlook;
    const double spent = (kept_ns_ - base_ns_) / base_ns_;
    for (NodeGroup& nodes : CandidateGroups(graph_, products_, kept_, sources_)) {
      PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
      PREON_ASSIGN_OR_RETURN(std::optional<FloatGroup> group, Predict(std::move(nodes)));
      if (!group || spent + group->cost > terms.budget) continue;
      outlook.largest_gain_db = std::max(outlook.largest_gain_db, group->gain_db);
      if (!terms.Pays(group->gain_db, group->cost)) continue;
      if (!outlook.best || Score(*group, terms) > Score(*outlook.best, terms)) outlook.best = std::move(group);
    }
    return outlook;
  }

  // None where it was tried before or can't be planned.
  Result<std::optional<FloatGroup>> Predict(NodeGroup nodes) {
    nodes.insert(kept_.begin(), kept_.end());
    std::optional<FloatGroup> group;
    if (nodes.size() == kept_.size() || tried_.contains(nodes)) return group;
    if (const auto planned = planned_.find(nodes); planned != planned_.end()) {
      group = planned->second;
    } else {
      PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> plan,
                             fallback_.PlanWithout(InFloatForAccuracy(nodes), prepared_));
      if (plan && LeavesEnoughIntegers(*plan, prepared_.plan)) {
        group.emplace(FloatGroup{.nodes = nodes, .plan = *std::move(plan)});
        group->cost = (EstimatedNs(graph_, group->plan) - kept_ns_) / base_ns_;
      }
      planned_.emplace(std::move(nodes), group);
    }
    if (group) group->gain_db = SqnrOf(sources_.With(group->plan)) - SqnrOf(sources_.With(kept_plan_));
    return group;
  }

  Status Try(FloatGroup group, const FallbackTerms& terms, AccuracyFallback& result) {
    tried_.insert(group.nodes);
    const Result<std::optional<TrialError>> run =
        trials_.Run(prepared_.model, group.plan, method_, inputs_, TrialSize::kSome);
    if (!run.ok()) return run.status().id() == ErrorId::kCancelled ? run.status() : Status::Ok();
    const std::optional<TrialError>& error = *run;
    if (!error) return Status::Ok();
    const double gain_db = error->some.typical_db - typical_db_;
    bool kept = terms.Pays(gain_db, group.cost), slow = false;
    const bool measured = kept && group.cost > kBudget;  // cheap ones are measured all together in the end
    if (measured) {
      PREON_ASSIGN_OR_RETURN(kept, IsFast(group.plan, result.cost + group.cost));
      slow = !kept;
    }
    FallbackTrial& trial = result.trials.emplace_back(
        FallbackTrial{.sqnr_db = error->sqnr_db, .cost = group.cost, .kept = kept, .slow = slow});
    std::ranges::set_difference(group.nodes, kept_, std::back_inserter(trial.nodes));
    if (!slow) Learn(group, gain_db);
    fruitless_ = kept ? 0 : fruitless_ + 1;
    if (!kept) return Status::Ok();
    result.after_db = error->sqnr_db;
    result.cost += group.cost;
    steps_.push_back({group.nodes, group.plan, result.after_db, result.cost, result.trials.size() - 1, measured});
    typical_db_ = error->some.typical_db;
    kept_ = std::move(group.nodes);
    kept_plan_ = std::move(group.plan);
    kept_ns_ = EstimatedNs(graph_, kept_plan_);
    planned_.clear();
    is_seen_ = looks_ == kMaxLooks;
    return Status::Ok();
  }

  void Learn(const FloatGroup& group, double gain_db) {
    const double before = sources_.With(kept_plan_), predicted = before - sources_.With(group.plan);
    const double measured = before * (1 - std::pow(10, -gain_db / 10));
    if (predicted > 0) sources_.Learn(group.plan, std::clamp(measured / predicted, kLeastBelief, 1.0));
  }

  // Undoes the last steps until what is left costs about what was estimated.
  Status DropSlow(AccuracyFallback& result) {
    for (; !steps_.empty() && !steps_.back().is_fast; steps_.pop_back()) {
      PREON_ASSIGN_OR_RETURN(const bool fast, IsFast(steps_.back().plan, steps_.back().cost));
      if (fast) break;
      FallbackTrial& trial = result.trials[steps_.back().trial];
      trial.kept = false;
      trial.slow = true;
    }
    result.after_db = steps_.empty() ? result.before_db : steps_.back().after_db;
    result.cost = steps_.empty() ? 0 : steps_.back().cost;
    return Status::Ok();
  }

  // Measured, against the first plan and float.
  Result<bool> IsFast(const QuantPlan& plan, double cost) const {
    PREON_ASSIGN_OR_RETURN(const Model before, Written(prepared_.plan));
    PREON_ASSIGN_OR_RETURN(const Model after, Written(plan));
    const Model* const forms[] = {&prepared_.model, &before, &after};
    const std::vector<NamedTensor>& feeds = trials_.samples().runs().front().batch.feeds;
    std::array<double, std::size(forms)> fastest;
    fastest.fill(std::numeric_limits<double>::infinity());
    for (int times = 0; times < kMeasurements; ++times) {
      PREON_ASSIGN_OR_RETURN(const std::vector<double> ms, FastestRunsMs(forms, feeds, trials_.context()));
      std::ranges::transform(fastest, ms, fastest.begin(), [](double a, double b) { return std::min(a, b); });
      if (IsAsFastAsEstimated({fastest[0], fastest[1], fastest[2]}, cost)) return true;
    }
    return false;
  }

  AccuracyFallback Settle(AccuracyFallback result) {
    if (!steps_.empty() && MissingDb(result) <= 0) {
      prepared_.left_float.merge(InFloatForAccuracy(steps_.back().nodes));
      prepared_.plan = std::move(steps_.back().plan);
      return result;
    }
    result.after_db = result.before_db;
    result.cost = 0;
    for (FallbackTrial& trial : result.trials) trial.kept = false;
    return result;
  }

  PlannedModel& prepared_;
  const RangeMethod& method_;
  const PlanInputs& inputs_;
  const FallbackPlanner& fallback_;
  Trials& trials_;
  std::vector<std::string> products_;  // integer Conv, MatMul and Gemm nodes of the first plan, in order
  std::vector<Step> steps_;
  NodeGroup kept_;
  QuantPlan kept_plan_;
  double typical_db_ = 0;  // of the plan that is kept
  std::set<NodeGroup> tried_;
  std::map<NodeGroup, std::optional<FloatGroup>> planned_;  // beside what is kept; predictions change as trials tell
  ErrorSources sources_;
  Graph graph_;  // of the prepared model, with the shapes of a run
  double base_ns_ = 1, kept_ns_ = 1;
  double spent_while_poor_ = 0;
  size_t fruitless_ = 0;  // trials behind the last one that was kept
  bool is_seen_ = false;  // the plan that is kept, by the last look
  int looks_ = 0;
};

}  // namespace

Result<AccuracyFallback> FallBackForAccuracy(PlannedModel& prepared, const RangeMethod& method,
                                             const PlanInputs& inputs, const FallbackPlanner& fallback, Trials& trials,
                                             const FallbackStart& start) {
  const double sqnr_db = start.error.sqnr_db;
  if (start.budget == 0 || sqnr_db >= kFineDb) return AccuracyFallback{.before_db = sqnr_db, .after_db = sqnr_db};
  if (HasLargeWeights(prepared.model.graph) && trials.memory() != MemoryUse::kFast) {
    return AccuracyFallback{.before_db = sqnr_db,
                            .after_db = sqnr_db,
                            .why_none =
                                "the search needs several times the memory of the weights, which are above 1 GiB; "
                                "--memory fast runs it"};
  }
  return FallbackSearch(prepared, method, inputs, fallback, trials).Run(start);
}

}  // namespace preon
