#include "report/found_text.h"

#include <algorithm>

#include "base/text.h"

namespace preon {

std::string OutcomeOf(const MethodCandidate& candidate) {
  std::string outcome;
  if (candidate.activations_db) outcome = FigureText(candidate.activations_db, "(%.1f dB with float weights)");
  if (candidate.selected) return outcome + (outcome.empty() ? "selected" : ", selected");
  return candidate.ended_early ? "ended early" : outcome;
}

std::string OutcomeOf(const ImprovedCodes& improved) {
  if (!improved.why_not.empty()) return StrCat("unchanged: ", improved.why_not);
  const std::string of_last = improved.runs_of_last_layers > 0
                                  ? StrCat("; the last layers once more: ", improved.runs_of_last_layers, " runs, ",
                                           FigureText(improved.last_layers_gain_db, "%+.1f"), " dB")
                                  : "";
  return StrCat("layers changed: ", improved.layers_changed, " of ", improved.layers_changed + improved.layers_kept,
                "; SQNR ", SqnrText(improved.before_db), " -> ", SqnrText(improved.after_db),
                " on the samples used for judging; ", CountText(improved.runs, "run"), of_last, "; ",
                FigureText(improved.seconds, "%.1f s"));
}

void AddCandidates(TextWriter& out, const std::vector<MethodCandidate>& candidates) {
  const char* title = "candidates";
  for (const MethodCandidate& candidate : candidates) {
    const std::string outcome = OutcomeOf(candidate);
    out.Add("  %-11s %-20s %-18s %9s%s%s\n", title, candidate.method.c_str(), candidate.options.c_str(),
            SqnrText(candidate.sqnr_db).c_str(), outcome.empty() ? "" : "  ", outcome.c_str());
    title = "";
  }
}

void AddFallback(TextWriter& out, const AccuracyFallback& fallback) {
  if (!fallback.why_none.empty()) out.Add("  fall-back   not searched: %s\n", fallback.why_none.c_str());
  if (fallback.trials.empty()) return;
  int64_t kept = 0;
  for (const FallbackTrial& trial : fallback.trials) kept += trial.kept ? static_cast<int64_t>(trial.nodes.size()) : 0;
  const std::string tried = CountText(static_cast<int64_t>(fallback.trials.size()), "group");
  if (kept == 0)
    out.Add("  fall-back   %s of nodes tried in float, none kept: the gain was too small for the time\n",
            tried.c_str());
  else
    out.Add("  fall-back   %s in float: SQNR %s -> %s, latency +%.1f %% (estimated); %s of nodes tried\n",
            CountText(kept, "node").c_str(), SqnrText(fallback.before_db).c_str(), SqnrText(fallback.after_db).c_str(),
            100 * std::max(0.0, fallback.cost), tried.c_str());
}

void AddImproved(TextWriter& out, const std::vector<ImprovedCodes>& improved) {
  for (const ImprovedCodes& by : improved) out.Add("  %-11s %s\n", by.algorithm.c_str(), OutcomeOf(by).c_str());
}

}  // namespace preon
