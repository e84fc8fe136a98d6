// In text reports: what quantize has tried and found.
#pragma once

#include <vector>

#include "report/results/results.h"
#include "report/text_writer.h"

namespace preon {

void AddCandidates(TextWriter& out, const std::vector<MethodCandidate>& candidates);
void AddFallback(TextWriter& out, const AccuracyFallback& fallback);
void AddImproved(TextWriter& out, const std::vector<ImprovedCodes>& improved);

}  // namespace preon
