#include "search/choose_method.h"

#include <algorithm>

namespace preon {
namespace {

struct Candidate {
  std::string_view method;
  MethodOptions options;
};

// No rule is best everywhere: small networks need everything that a tensor ever reached, in others a few samples have
// the extremes (figures: docs/methods/auto.md). Those that are best most often come first: others end early then.
std::vector<Candidate> Candidates(const QuantPlan& plan) {
  const auto aware = [](MethodOptions options) {
    options.emplace(kGraphAware, "true");
    return options;
  };
  const bool powers_of_two = std::ranges::any_of(
      plan.activations, [](const auto& entry) { return entry.second.scale_type == ScaleType::kPowerOfTwo; });
  return {{"minmse", aware({})},
          {"sample-extremes", aware({{"Statistic", "median"}})},
          {"sample-extremes", aware({{"Statistic", "mean"}})},
          powers_of_two ? Candidate{"nonoverflow", aware({})} : Candidate{"minmax", aware({})},
          {"layerwise-percentile", aware({})},
          {"auto", {}}};
}

std::string OptionText(const MethodOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

}  // namespace

Result<ChosenMethod> ChooseMethod(const PlannedModel& prepared, const PlanInputs& inputs, Trials& trials,
                                  const RangeMethodRegistry& methods, RangesByMethod& known) {
  ChosenMethod chosen;
  if (trials.samples().runs().empty()) return chosen;
  Status failed;
  const std::vector<Candidate> candidates = Candidates(prepared.plan);
  trials.Expect(std::ssize(candidates));
  std::optional<TrialError> best;
  for (const Candidate& candidate : candidates) {
    PREON_RETURN_IF_ERROR(trials.context().CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const RangeMethod* base, methods.Find(candidate.method));
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, base->WithOptions(candidate.options));
    const std::string options = OptionText(candidate.options);
    PlanInputs own = inputs;
    own.chosen = &known[StrCat(candidate.method, " ", options)];
    const Result<std::optional<TrialError>> error =
        trials.Run(prepared.model, prepared.plan, *method, own, TrialSize::kAll, best ? &*best : nullptr);
    if (!error.ok()) {
      if (error.status().id() == ErrorId::kCancelled) return error.status();
      failed = error.status();
      trials.context().Log(LogLevel::kWarning, StrCat("auto: ", candidate.method, " left out: ", failed.message()));
      continue;
    }
    if (!*error) continue;
    chosen.candidates.push_back({.method = std::string(candidate.method),
                                 .options = options,
                                 .sqnr_db = (*error)->sqnr_db,
                                 .ended_early = (*error)->ended_early});
    if (best && best->sqnr_db >= (*error)->sqnr_db) continue;
    best = *error;
    chosen.method = std::move(method);
    chosen.ranges = own.chosen;
  }
  if (!failed.ok() && chosen.candidates.empty()) return failed;
  if (chosen.candidates.empty()) return chosen;
  std::ranges::max_element(chosen.candidates, {}, &MethodCandidate::sqnr_db)->selected = true;
  return chosen;
}

}  // namespace preon
