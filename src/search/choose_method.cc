#include "search/choose_method.h"

#include <algorithm>
#include <set>
#include <string>

namespace preon {
namespace {

constexpr size_t kFirst = 3;
constexpr double kMethodsAreEqualDb = 45;  // the error is half a percent of the signal
constexpr double kNearDb = 1;              // of the best: fitted codes may turn the order around
constexpr double kClearlyNearerDb = 0.5;

struct Candidate {
  std::string_view method;
  MethodOptions options;
};

bool HasPowersOfTwo(const QuantPlan& plan) {
  return std::ranges::any_of(plan.activations,
                             [](const auto& entry) { return entry.second.scale_type == ScaleType::kPowerOfTwo; });
}

// No rule is best everywhere: small networks need everything that a tensor ever reached, in others a few samples have
// the extremes (figures: docs/methods/auto.md). Those that are best most often come first: others end early then. The
// first kFirst are of different kinds.
std::vector<Candidate> Candidates(const QuantPlan& plan) {
  const auto aware = [](MethodOptions options) {
    options.emplace(kGraphAware, "true");
    return options;
  };
  return {{"minmse", aware({})},
          {"sample-extremes", aware({{"Statistic", "median"}})},
          HasPowersOfTwo(plan) ? Candidate{"nonoverflow", aware({})} : Candidate{"minmax", aware({})},
          {"sample-extremes", aware({{"Statistic", "mean"}})},
          {"layerwise-percentile", aware({})}};
}

std::string OptionText(const MethodOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

// The same, but weights and biases stay in float; not those whose scale a tensor has, as tables that Gather reads.
QuantPlan WithFloatWeights(const Graph& graph, QuantPlan plan) {
  std::set<std::string> owners;
  for (const auto& [tensor, activation] : plan.activations) owners.insert(activation.shares);
  std::erase_if(plan.weights, [&](const auto& weight) {
    const auto& [name, planned] = weight;
    if (owners.contains(name)) return false;
    for (const std::string& reader : planned.nodes) {
      const Node& node = *graph.FindNode(reader);
      if (node.Is("Conv") || node.Is("Gemm")) plan.float_regions.push_back(reader);
    }
    return true;
  });
  plan.biases.clear();
  return plan;
}

}  // namespace

struct MethodRace::Entry {
  std::unique_ptr<RangeMethod> method;
  std::string options;
  PlanInputs inputs;
};

MethodRace::MethodRace(const PlannedModel& planned, const PlanInputs& inputs, Trials& trials,
                       const RangeMethodRegistry& methods, RangesByMethod& known)
    : planned_(planned), inputs_(inputs), trials_(trials), methods_(methods), known_(known) {}

Status MethodRace::RunFirst() { return RunUpTo(kFirst); }

Status MethodRace::RunAll() {
  PREON_RETURN_IF_ERROR(RunUpTo(Candidates(planned_.plan).size()));
  return chosen_.candidates.empty() ? failed_ : Status::Ok();
}

Result<MethodRace::Entry> MethodRace::Enter(size_t candidate) {
  const auto [name, options] = Candidates(planned_.plan)[candidate];
  PREON_ASSIGN_OR_RETURN(const RangeMethod* base, methods_.Find(name));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, base->WithOptions(options));
  Entry entry{std::move(method), OptionText(options), inputs_};
  entry.inputs.chosen = &known_[StrCat(name, " ", entry.options)];
  return entry;
}

Status MethodRace::RunUpTo(size_t count) {
  if (trials_.samples().runs().empty() || done_ >= count) return Status::Ok();
  trials_.Expect(static_cast<int64_t>(count - done_));
  for (; done_ < count && !(best_ && best_->sqnr_db >= kMethodsAreEqualDb); ++done_) {
    PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
    PREON_ASSIGN_OR_RETURN(Entry entry, Enter(done_));
    const Result<std::optional<TrialError>> error = trials_.Run(
        planned_.model, planned_.plan, *entry.method, entry.inputs, TrialSize::kAll, best_ ? &*best_ : nullptr);
    if (!error.ok()) {
      if (error.status().id() == ErrorId::kCancelled) return error.status();
      failed_ = error.status();
      trials_.context().Log(LogLevel::kWarning,
                            StrCat("auto: ", entry.method->name(), " left out: ", failed_.message()));
      continue;
    }
    if (!*error) continue;
    entered_.push_back(done_);
    chosen_.candidates.push_back({.method = std::string(entry.method->name()),
                                  .options = entry.options,
                                  .sqnr_db = (*error)->sqnr_db,
                                  .ended_early = (*error)->ended_early});
    if (best_ && best_->sqnr_db + (PrefersMinmse() ? kNearDb : 0) >= (*error)->sqnr_db) continue;
    best_ = *error;
    Select(chosen_.candidates.size() - 1, std::move(entry));
  }
  if (done_ < count) trials_.ExpectNoMore();
  return Status::Ok();
}

bool MethodRace::PrefersMinmse() const {
  return HasPowersOfTwo(planned_.plan) && best_ && chosen_.candidates[selected_].method == "minmse";
}

bool MethodRace::IsNear(size_t index) const {
  const MethodCandidate& candidate = chosen_.candidates[index];
  return !candidate.ended_early && candidate.sqnr_db > best_->sqnr_db - kNearDb;
}

bool MethodRace::IsClose() const {
  size_t near = 0;
  for (size_t index = 0; index < chosen_.candidates.size(); ++index) near += IsNear(index);
  return near > 1 && best_->sqnr_db < kMethodsAreEqualDb;
}

Status MethodRace::SettleByActivations() {
  const QuantPlan plan = WithFloatWeights(planned_.model.graph, planned_.plan);
  const auto look = [&](size_t index) -> Status {
    PREON_ASSIGN_OR_RETURN(const Entry entry, Enter(entered_[index]));
    const Result<std::optional<TrialError>> error =
        trials_.Run(planned_.model, plan, *entry.method, entry.inputs, TrialSize::kSome);
    if (!error.ok()) return error.status().id() == ErrorId::kCancelled ? error.status() : Status::Ok();
    if (*error) chosen_.candidates[index].activations_db = (*error)->sqnr_db;
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(look(selected_));
  // Where weights make little of the error, codes that fit change little.
  const std::optional<double> selected_db = chosen_.candidates[selected_].activations_db;
  if (!selected_db || *selected_db < best_->some.sqnr_db + kNearDb) return Status::Ok();
  double nearest_db = *selected_db + (PrefersMinmse() ? kNearDb : kClearlyNearerDb);
  for (size_t index = 0; index < chosen_.candidates.size(); ++index) {
    if (!chosen_.candidates[index].activations_db && IsNear(index)) PREON_RETURN_IF_ERROR(look(index));
    const double db = chosen_.candidates[index].activations_db.value_or(0);
    if (db <= nearest_db) continue;
    nearest_db = db;
    PREON_ASSIGN_OR_RETURN(Entry entry, Enter(entered_[index]));
    Select(index, std::move(entry));
  }
  return Status::Ok();
}

void MethodRace::Select(size_t index, Entry entry) {
  selected_ = index;
  chosen_.method = std::move(entry.method);
  chosen_.ranges = entry.inputs.chosen;
}

ChosenMethod MethodRace::Take() && {
  if (!chosen_.candidates.empty()) chosen_.candidates[selected_].selected = true;
  return std::move(chosen_);
}

}  // namespace preon
