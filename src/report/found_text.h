// In text reports: what quantize has tried and found.
#pragma once

#include <string>
#include <vector>

#include "report/results/results.h"
#include "report/text_writer.h"

namespace preon {

/// What became of a candidate: "selected", "ended early", or "" where it ran on all samples and another one was better.
std::string OutcomeOf(const MethodCandidate& candidate);

/// "unchanged: one clause", or what it has changed and what that gains.
std::string OutcomeOf(const ImprovedCodes& improved);

void AddCandidates(TextWriter& out, const std::vector<MethodCandidate>& candidates);
void AddFallback(TextWriter& out, const AccuracyFallback& fallback);
void AddImproved(TextWriter& out, const std::vector<ImprovedCodes>& improved);

}  // namespace preon
