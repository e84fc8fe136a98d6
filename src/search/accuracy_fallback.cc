#include "search/accuracy_fallback.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/write_plan.h"
#include "quantize/plan/estimated_time.h"
#include "search/error_sources.h"
#include "search/float_groups.h"
#include "search/lock_step.h"
#include "search/runtime_placement.h"
#include "search/speed_check.h"

namespace preon {
namespace {

constexpr double kFineDb = 30, kGoodEnoughDb = 40;       // no search from here on; end of a search
constexpr double kPoorDb = 18, kEnoughOfPoorDb = 22;     // below, classes and boxes get lost
constexpr double kBudget = 0.03, kBudgetOfPoor = 0.25;   // of the time
constexpr double kDbForAll = 100, kDbForAllOfPoor = 30;  // what all of the time would have to bring: 1 dB for 1 %
constexpr double kLeastGroupDb = 0.3;
// Of all together. A result that is good gains by nothing less than half the error.
constexpr double kGoodDb = 25, kLeastGainOfPoorDb = 1, kLeastGainDb = 3, kLeastGainOfGoodDb = 6;
constexpr double kLeastIntegerShare = 0.1;  // of the work that was planned in integers: else nothing is quantized
constexpr double kLeastCost = 0.01;         // what is cheaper counts as this much
constexpr double kLeastBelief = 0.05;       // a trial has few samples
constexpr double kLeastPromise = 0.5;       // of what is missing, from one group: else there is no further look
constexpr size_t kMaxTrials = 20, kMaxFruitless = 8, kWorstNodes = 12;
constexpr int kMaxLooks = 4;

double Db(double noise) { return -10 * std::log10(std::max(noise, 1e-20)); }

struct FloatGroup {
  NodeGroup nodes;  // with those that are kept
  QuantPlan plan;
  double gain_db = 0, cost = 0;  // predicted, against what is kept
};

double LeastGainDb(double before_db) {
  return before_db < kPoorDb ? kLeastGainOfPoorDb : before_db < kGoodDb ? kLeastGainDb : kLeastGainOfGoodDb;
}

double IntegerMacs(const QuantPlan& plan) {
  double macs = 0;
  for (const NodeDecision& decision : plan.nodes) macs += decision.reason == FloatReason::kNone ? decision.macs : 0;
  return macs;
}

// A plan that was kept, and what it brings with all that were kept before.
struct Step {
  NodeGroup nodes;
  QuantPlan plan;
  double after_db, cost;
  size_t trial;
};

// What may be spent, and what it must bring.
struct Terms {
  double budget;      // share of the time, with all that was spent before
  double missing_db;  // until the result is no longer poor

  // The share of the time that a gain is worth.
  double Worth(double gain_db) const {
    const double of_poor = std::clamp(gain_db, 0.0, missing_db);
    return of_poor / kDbForAllOfPoor + (gain_db - of_poor) / kDbForAll;
  }
};

double Score(const FloatGroup& group, const Terms& terms) {
  return terms.Worth(group.gain_db) / std::max(group.cost, kLeastCost);
}

bool Pays(double gain_db, double cost, const Terms& terms) {
  return gain_db >= kLeastGroupDb && cost <= terms.Worth(gain_db);
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

  Result<AccuracyFallback> Run(double sqnr_db, std::optional<double> budget) {
    PREON_RETURN_IF_ERROR(LeaveNotFused());
    for (const NodeDecision& decision : kept_plan_.nodes)
      if (decision.reason == FloatReason::kNone && decision.macs > 0) products_.push_back(decision.node);
    PREON_RETURN_IF_ERROR(Look());
    base_ns_ = EstimatedNs(graph_, kept_plan_);
    PREON_ASSIGN_OR_RETURN(const std::optional<TrialError> before,
                           trials_.Run(prepared_.model, kept_plan_, method_, inputs_, TrialSize::kSome));
    if (!before) return AccuracyFallback{.before_db = sqnr_db, .after_db = sqnr_db};
    typical_db_ = before->typical_db;
    AccuracyFallback result{.before_db = before->sqnr_db, .after_db = before->sqnr_db};
    while (result.trials.size() < kMaxTrials && fruitless_ < kMaxFruitless && result.after_db < kGoodEnoughDb) {
      const bool poor = sqnr_db < kPoorDb && result.after_db < kEnoughOfPoorDb;
      if (poor) spent_while_poor_ = std::max(0.0, result.cost);
      const Terms terms{budget.value_or(poor ? kBudgetOfPoor : spent_while_poor_ + kBudget),
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
  // What the runtime would run in float all the same has no part in the search: its codes cost time in every run.
  Status LeaveNotFused() {
    std::optional<Placement> placement;
    PREON_RETURN_IF_ERROR(fallback_.LeaveUnfit(prepared_, [&]() -> Result<WrittenFacts> {
      PREON_ASSIGN_OR_RETURN(const Model quantized, Written(prepared_.plan));
      PREON_ASSIGN_OR_RETURN(placement, RuntimePlacement(prepared_, quantized, trials_.context()));
      return WrittenFacts{.placement = placement ? &*placement : nullptr};
    }));
    kept_plan_ = prepared_.plan;
    return Status::Ok();
  }

  Result<Model> Written(const QuantPlan& plan) const {
    return WritePlan(prepared_.model, plan, method_, inputs_, trials_.context());
  }

  // Where the noise of the plan that is kept arises, and the shapes of a run.
  Status Look() {
    ++looks_;
    is_seen_ = true;
    const PlannedModel kept{prepared_.model, kept_plan_, {}};
    PREON_ASSIGN_OR_RETURN(const LockStep measured,
                           RunLockStep(kept, method_, inputs_, trials_.samples(), trials_.BeginRun()));
    sources_ = FindErrorSources(kept.model.graph, kept.plan, measured);
    graph_ = kept.model.graph;
    for (const auto& [tensor, shape] : measured.shapes)
      graph_.SetInfo(tensor, {.type = DataType::kFloat, .shape = shape});
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

  Result<Outlook> LookAhead(const Terms& terms) {
    Outlook outlook;
    const double spent = (EstimatedNs(graph_, kept_plan_) - base_ns_) / base_ns_;
    for (NodeGroup& nodes : Groups()) {
      PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
      PREON_ASSIGN_OR_RETURN(std::optional<FloatGroup> group, Predict(std::move(nodes)));
      if (!group || spent + group->cost > terms.budget) continue;
      outlook.largest_gain_db = std::max(outlook.largest_gain_db, group->gain_db);
      if (!Pays(group->gain_db, group->cost, terms)) continue;
      if (!outlook.best || Score(*group, terms) > Score(*outlook.best, terms)) outlook.best = std::move(group);
    }
    return outlook;
  }

  std::vector<NodeGroup> Groups() const {
    std::vector<NodeGroup> groups = EndGroups(products_);
    std::vector<std::pair<double, std::string>> worst;
    for (const std::string& node : products_)
      if (!kept_.contains(node)) worst.emplace_back(sources_.Around(*graph_.FindNode(node)), node);
    std::ranges::sort(worst, std::greater());
    if (worst.size() > kWorstNodes) worst.resize(kWorstNodes);
    const NodeGroup products(products_.begin(), products_.end());
    for (const auto& [noise, node] : worst) {
      groups.push_back({node});
      groups.push_back(GroupAround(graph_, products, node));
    }
    return groups;
  }

  // None where it was tried before or can't be planned.
  Result<std::optional<FloatGroup>> Predict(NodeGroup nodes) {
    nodes.insert(kept_.begin(), kept_.end());
    std::optional<FloatGroup> group;
    if (nodes.size() == kept_.size() || tried_.contains(nodes)) return group;
    if (const auto planned = planned_.find(nodes); planned != planned_.end()) {
      group = planned->second;
    } else {
      PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> plan, fallback_.PlanWithout(LeftFloat(nodes), prepared_));
      if (plan && IntegerMacs(*plan) >= kLeastIntegerShare * IntegerMacs(prepared_.plan)) {
        group.emplace(FloatGroup{.nodes = nodes, .plan = *std::move(plan)});
        group->cost = (EstimatedNs(graph_, group->plan) - EstimatedNs(graph_, kept_plan_)) / base_ns_;
      }
      planned_.emplace(std::move(nodes), group);
    }
    if (group) group->gain_db = Db(sources_.With(group->plan)) - Db(sources_.With(kept_plan_));
    return group;
  }

  static FloatNodes LeftFloat(const NodeGroup& nodes) {
    FloatNodes left_float;
    for (const std::string& node : nodes) left_float.emplace(node, FloatReason::kAccuracy);
    return left_float;
  }

  Status Try(FloatGroup group, const Terms& terms, AccuracyFallback& result) {
    tried_.insert(group.nodes);
    const Result<std::optional<TrialError>> run =
        trials_.Run(prepared_.model, group.plan, method_, inputs_, TrialSize::kSome);
    if (!run.ok()) return run.status().id() == ErrorId::kCancelled ? run.status() : Status::Ok();
    const std::optional<TrialError>& error = *run;
    if (!error) return Status::Ok();
    const double gain_db = error->typical_db - typical_db_;
    bool kept = Pays(gain_db, group.cost, terms), slow = false;
    if (kept && group.cost > kBudget) {  // cheap ones are measured all together in the end
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
    steps_.push_back({group.nodes, group.plan, result.after_db, result.cost, result.trials.size() - 1});
    typical_db_ = error->typical_db;
    kept_ = std::move(group.nodes);
    kept_plan_ = std::move(group.plan);
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
    for (; !steps_.empty(); steps_.pop_back()) {
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
    PREON_ASSIGN_OR_RETURN(const std::vector<double> ms, FastestRunsMs(forms, feeds, trials_.context()));
    return IsAsFastAsEstimated({ms[0], ms[1], ms[2]}, cost);
  }

  AccuracyFallback Settle(AccuracyFallback result) {
    if (!steps_.empty() && MissingDb(result) <= 0) {
      prepared_.left_float.merge(LeftFloat(steps_.back().nodes));
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
  double base_ns_ = 1;
  double spent_while_poor_ = 0;
  size_t fruitless_ = 0;  // trials behind the last one that was kept
  bool is_seen_ = false;  // the plan that is kept, by the last look
  int looks_ = 0;
};

}  // namespace

Result<AccuracyFallback> FallBackForAccuracy(PlannedModel& prepared, const RangeMethod& method,
                                             const PlanInputs& inputs, const FallbackPlanner& fallback, Trials& trials,
                                             const FallbackStart& start) {
  if (start.budget == 0 || start.sqnr_db >= kFineDb)
    return AccuracyFallback{.before_db = start.sqnr_db, .after_db = start.sqnr_db};
  return FallbackSearch(prepared, method, inputs, fallback, trials).Run(start.sqnr_db, start.budget);
}

}  // namespace preon
