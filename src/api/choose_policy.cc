#include "api/choose_policy.h"

#include <algorithm>

#include "api/trial.h"

namespace preon {
namespace {

struct Policy {
  std::string_view method;
  MethodOptions options;
};

// Cuts off what single samples reach. Their error is small on average, but where it gets into a state it comes back run
// after run: GTCRN loses 2.1 dB of SI-SDR this way, though single runs are 5 dB nearer to float than any other's.
constexpr std::string_view kClipsSamples = "sample-extremes";

// No rule is best everywhere: small networks need everything that a tensor ever reached, in others a few samples carry
// the extremes (measured: spec quality §2).
std::vector<Policy> Policies() {
  return {{"auto", {}},
          {"minmax", {}},
          {"layerwise-percentile", {}},
          {"minmse", {}},
          {kClipsSamples, {{"Statistic", "mean"}}},
          {kClipsSamples, {{"Statistic", "median"}}}};
}

bool MayBeEqual(const ValueInfo& a, const ValueInfo& b) {
  if (a.type != DataType::kFloat || b.type != DataType::kFloat || !a.shape || !b.shape) return false;
  return std::ranges::equal(*a.shape, *b.shape, [](int64_t x, int64_t y) {
    return x == y || x == kDynamicDim || y == kDynamicDim;
  });
}

// True for a model that hands a state on from run to run: besides its first output there is one that is like an input.
bool HasState(const Graph& graph) {
  const auto is_state = [&](const std::string& output) {
    return std::ranges::any_of(graph.inputs(), [&](const std::string& input) {
      const ValueInfo *in = graph.Info(input), *out = graph.Info(output);
      return in != nullptr && out != nullptr && MayBeEqual(*in, *out);
    });
  };
  return graph.inputs().size() > 1 && graph.outputs().size() > 1 &&
         std::any_of(graph.outputs().begin() + 1, graph.outputs().end(), is_state);
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
  const bool has_state = HasState(prepared.model.graph);
  for (const Policy& policy : Policies()) {
    if (has_state && policy.method == kClipsSamples) continue;
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
    const bool nearest = std::ranges::all_of(tried, [&](const PolicyTrial& other) { return other.sqnr_db < *sqnr_db; });
    tried.push_back({std::string(policy.method), OptionText(policy.options), *sqnr_db});
    if (nearest) job.choices.method = std::move(method);
  }
  if (tried.empty()) return failed;
  std::ranges::max_element(tried, {}, &PolicyTrial::sqnr_db)->chosen = true;
  return tried;
}

}  // namespace preon
