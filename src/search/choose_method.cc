#include "search/choose_method.h"

#include <algorithm>

#include "search/trial.h"

namespace preon {
namespace {

struct Policy {
  std::string_view method;
  MethodOptions options;
};

// No rule is best everywhere: small networks need everything that a tensor ever reached, in others a few samples carry
// the extremes (measured: spec quality §2).
std::vector<Policy> Policies() {
  return {{"auto", {}},
          {"minmax", {}},
          {"layerwise-percentile", {}},
          {"minmse", {}},
          {"sample-extremes", {{"Statistic", "mean"}}},
          {"sample-extremes", {{"Statistic", "median"}}}};
}

std::string OptionText(const MethodOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

}  // namespace

Result<std::vector<MethodCandidate>> ChooseMethod(const PreparedModel& prepared, const CalibrationData& data,
                                                  const TrialSamples& trial, Job& job) {
  std::vector<MethodCandidate> tried;
  if (trial.runs().empty()) return tried;
  Status failed;
  for (const Policy& policy : Policies()) {
    PREON_RETURN_IF_ERROR(job.context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const RangeMethod* base, job.builtins.methods.Find(policy.method));
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, base->WithOptions(policy.options));
    const Result<double> sqnr_db = TrialSqnrDb(prepared, data, trial, *method, job);
    if (!sqnr_db.ok()) {
      if (sqnr_db.status().id() == ErrorId::kCancelled) return sqnr_db.status();
      failed = sqnr_db.status();
      job.context.Log(LogLevel::kWarning, StrCat("auto: ", policy.method, " left out: ", failed.message()));
      continue;
    }
    const bool nearest =
        std::ranges::all_of(tried, [&](const MethodCandidate& other) { return other.sqnr_db < *sqnr_db; });
    tried.push_back({std::string(policy.method), OptionText(policy.options), *sqnr_db});
    if (nearest) job.choices.method = std::move(method);
  }
  if (tried.empty()) return failed;
  std::ranges::max_element(tried, {}, &MethodCandidate::sqnr_db)->chosen = true;
  return tried;
}

}  // namespace preon
