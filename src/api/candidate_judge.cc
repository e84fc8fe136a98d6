#include "api/candidate_judge.h"

#include "pipeline/output.h"

namespace preon {

CandidateJudge::CandidateJudge(const std::string& model, RunInputs& run, const TempDir& folder)
    : model_(model), size_bytes_(ModelSizeBytes(model)), run_(run), folder_(folder) {}

Result<Tried> CandidateJudge::Try(const Candidate& candidate, const std::string& statistics, const Samples& fit,
                                  ModelJudge& judge) {
  Tried tried{.model = {.name = candidate.name, .options = candidate.options}};
  Result<QuantizeResult> made = MakeCandidate(model_, candidate, fit, statistics, run_, folder_);
  tried.is_refused = !made.ok() && made.status().id() == ErrorId::kNothingToGain;
  if (tried.is_refused) {
    Candidate anyway = candidate;
    anyway.written = WrittenWhen::kAlways;
    made = MakeCandidate(model_, anyway, fit, statistics, run_, folder_);
  }
  run_.context.BeginStage("evaluate");
  if (!made.ok() && made.status().id() == ErrorId::kCancelled) return made.status();
  if (!made.ok()) {
    tried.model.failed = made.status().message();
    return tried;
  }
  tried.file = made->output;
  tried.written = {made->target, made->passed_over};
  tried.fallback = made->fallback;
  tried.computes_in_float = made->computes_in_float;
  PREON_ASSIGN_OR_RETURN(tried.model, judge.Evaluate(made->output, candidate.name));
  tried.model.options = candidate.options;
  const Speedup speedup = tried.computes_in_float ? Speedup() : made->latency.speedup;
  tried.model.alarms = FindAlarms({.compare = tried.model.compare, .speedup = speedup});
  PREON_ASSIGN_OR_RETURN(tried.model.why_not, WhyNot(tried.model, made->latency));
  return tried;
}

Result<std::vector<std::string>> CandidateJudge::WhyNot(const ValidatedModel& model, const LatencyPair& latency) const {
  std::vector<Requirement> requirements = run_.options.requirements;
  if (latency.speedup.median <= 0)
    std::erase_if(requirements, [](const Requirement& requirement) {
      return requirement.figure == RequiredFigure::kSpeed || requirement.figure == RequiredFigure::kLatency;
    });
  return WhyNotShip({model.compare, model.metric, latency, model.alarms, size_bytes_, model.size_bytes}, requirements);
}

}  // namespace preon
