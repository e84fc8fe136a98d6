#include "report/found_text.h"

#include "base/text.h"

namespace preon {

void AddCandidates(TextWriter& out, const std::vector<MethodCandidate>& candidates) {
  const char* title = "candidates";
  for (const MethodCandidate& candidate : candidates) {
    out.Add("  %-11s %-20s %-18s %6.1f dB%s\n", title, candidate.method.c_str(), candidate.options.c_str(),
            candidate.sqnr_db, candidate.selected ? "  selected" : "");
    title = "";
  }
}

void AddImproved(TextWriter& out, const std::vector<ImprovedCodes>& improved) {
  for (const ImprovedCodes& by : improved) {
    out.Add("  %-11s layers changed: %lld of %lld; SQNR %.1f dB -> %.1f dB on the samples that judge\n",
            by.algorithm.c_str(), static_cast<long long>(by.layers_changed),
            static_cast<long long>(by.layers_changed + by.layers_kept), by.before_db, by.after_db);
  }
}

}  // namespace preon
