#include "search/choose_method.h"

#include <algorithm>

namespace preon {
namespace {

constexpr size_t kFirst = 3;
constexpr double kMethodsAreEqualDb = 45;  // the error is half a percent of the signal

struct Candidate {
  std::string_view method;
  MethodOptions options;
};

// No rule is best everywhere: small networks need everything that a tensor ever reached, in others a few samples have
// the extremes (figures: docs/methods/auto.md). Those that are best most often come first: others end early then. The
// first kFirst are of different kinds.
std::vector<Candidate> Candidates(const QuantPlan& plan) {
  const auto aware = [](MethodOptions options) {
    options.emplace(kGraphAware, "true");
    return options;
  };
  const bool powers_of_two = std::ranges::any_of(
      plan.activations, [](const auto& entry) { return entry.second.scale_type == ScaleType::kPowerOfTwo; });
  return {{"minmse", aware({})},
          {"sample-extremes", aware({{"Statistic", "median"}})},
          powers_of_two ? Candidate{"nonoverflow", aware({})} : Candidate{"minmax", aware({})},
          {"sample-extremes", aware({{"Statistic", "mean"}})},
          {"layerwise-percentile", aware({})},
          {"auto", {}}};
}

std::string OptionText(const MethodOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

}  // namespace

MethodRace::MethodRace(const PlannedModel& planned, const PlanInputs& inputs, Trials& trials,
                       const RangeMethodRegistry& methods, RangesByMethod& known)
    : planned_(planned), inputs_(inputs), trials_(trials), methods_(methods), known_(known) {}

Status MethodRace::RunFirst() { return RunUpTo(kFirst); }

Status MethodRace::RunAll() {
  PREON_RETURN_IF_ERROR(RunUpTo(Candidates(planned_.plan).size()));
  return chosen_.candidates.empty() ? failed_ : Status::Ok();
}

Status MethodRace::RunUpTo(size_t count) {
  const std::vector<Candidate> candidates = Candidates(planned_.plan);
  if (trials_.samples().runs().empty() || done_ >= count) return Status::Ok();
  trials_.Expect(static_cast<int64_t>(count - done_));
  for (; done_ < count && !(best_ && best_->sqnr_db >= kMethodsAreEqualDb); ++done_) {
    PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
    const Candidate& candidate = candidates[done_];
    PREON_ASSIGN_OR_RETURN(const RangeMethod* base, methods_.Find(candidate.method));
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, base->WithOptions(candidate.options));
    const std::string options = OptionText(candidate.options);
    PlanInputs own = inputs_;
    own.chosen = &known_[StrCat(candidate.method, " ", options)];
    const Result<std::optional<TrialError>> error =
        trials_.Run(planned_.model, planned_.plan, *method, own, TrialSize::kAll, best_ ? &*best_ : nullptr);
    if (!error.ok()) {
      if (error.status().id() == ErrorId::kCancelled) return error.status();
      failed_ = error.status();
      trials_.context().Log(LogLevel::kWarning, StrCat("auto: ", candidate.method, " left out: ", failed_.message()));
      continue;
    }
    if (!*error) continue;
    chosen_.candidates.push_back({.method = std::string(candidate.method),
                                  .options = options,
                                  .sqnr_db = (*error)->sqnr_db,
                                  .ended_early = (*error)->ended_early});
    if (best_ && best_->sqnr_db >= (*error)->sqnr_db) continue;
    best_ = *error;
    chosen_.sqnr_db = best_->sqnr_db;
    chosen_.method = std::move(method);
    chosen_.ranges = own.chosen;
  }
  if (done_ < count) trials_.ExpectNoMore();
  return Status::Ok();
}

ChosenMethod MethodRace::Take() && {
  if (!chosen_.candidates.empty())
    std::ranges::max_element(chosen_.candidates, {}, &MethodCandidate::sqnr_db)->selected = true;
  return std::move(chosen_);
}

}  // namespace preon
