#include "api/choose_policy.h"

#include <algorithm>
#include <cmath>

#include "api/plan_statistics.h"
#include "calib/run_plan.h"
#include "eval/compare.h"
#include "runtime/session.h"

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

// Noise over signal, of all outputs alike: 10^(-SQNR / 10), averaged.
double MeanSqnrDb(const Comparison& comparison) {
  double noise = 0;
  for (const auto& [name, output] : comparison.outputs)
    noise += output.not_finite > 0 ? 1e20 : std::pow(10, -output.sqnr_db / 10);
  return -10 * std::log10(noise / static_cast<double>(std::max<size_t>(1, comparison.outputs.size())));
}

class TrialSource final : public DataSource {
 public:
  explicit TrialSource(const TrialSamples& trial) : runs_(trial.runs()) {}
  Result<std::optional<Batch>> Next() override {
    if (next_ == runs_.size()) return std::optional<Batch>();
    return std::optional(runs_[next_++].batch);
  }
  std::optional<int64_t> SampleCount() const override { return static_cast<int64_t>(runs_.size()) * BatchSize(); }
  int64_t BatchSize() const override { return runs_.front().batch.samples; }

 private:
  const std::vector<TrialRun>& runs_;
  size_t next_ = 0;
};

Result<double> Try(const PreparedModel& prepared, const CalibrationData& data, const TrialSamples& trial,
                   const RangeMethod& method, const Job& job) {
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, method, job.options));
  PREON_ASSIGN_OR_RETURN(const Model quantized, ApplyPlan(prepared.model, prepared.plan, statistics, nullptr));
  TrialSource source(trial);
  const RunPlan runs = PlanRuns(quantized, job.context.ThreadCount(), source);
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(quantized, {.threads = runs.threads}, job.context));
  RunContext quiet = job.context;
  quiet.progress = {};
  const auto float_outputs = [&](const Batch& batch) {
    return std::ranges::find(trial.runs(), batch.first_sample, [](const TrialRun& run) { return run.batch.first_sample; })
        ->outputs;
  };
  PREON_ASSIGN_OR_RETURN(const Comparison comparison, Compare(float_outputs, OutputsOf(session, quiet), source,
                                                              {.at_once = runs.at_once}, quiet));
  return MeanSqnrDb(comparison);
}

std::string OptionText(const MethodOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += (text.empty() ? "" : ", ") + key + "=" + value;
  return text;
}

}  // namespace

Result<std::vector<PolicyTrial>> ChoosePolicy(const PreparedModel& prepared, const CalibrationData& data,
                                              const TrialSamples& trial, Job& job) {
  std::vector<PolicyTrial> tried;
  if (trial.runs().empty()) return tried;
  Status failed;
  for (const Policy& policy : Policies()) {
    PREON_RETURN_IF_ERROR(job.context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const RangeMethod* base, job.builtins.methods.Find(policy.method));
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, base->WithOptions(policy.options));
    const Result<double> sqnr_db = Try(prepared, data, trial, *method, job);
    if (!sqnr_db.ok()) {
      if (sqnr_db.status().id() == ErrorId::kCancelled) return sqnr_db.status();
      failed = sqnr_db.status();
      job.context.Log(LogLevel::kWarning, StrCat("auto: ", policy.method, " left out: ", failed.message()));
      continue;
    }
    const bool nearest = std::ranges::all_of(tried, [&](const PolicyTrial& other) { return other.sqnr_db < *sqnr_db; });
    tried.push_back({std::string(policy.method), OptionText(policy.options), *sqnr_db});
    if (nearest) job.choices.method = std::move(method);
  }
  if (tried.empty()) return failed;
  std::ranges::max_element(tried, {}, &PolicyTrial::sqnr_db)->chosen = true;
  return tried;
}

}  // namespace preon
