// Which trial of a search is better.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "report/results/search_result.h"
#include "search/space/sampler.h"

namespace preon {

enum class SearchGoal : uint8_t { kAccuracy, kSize, kSpeed };

/// Errors: kUnknownOption.
Result<SearchGoal> ParseSearchGoal(const std::string& text);

/// Those that could be made come first, then those that reach what is required, then the goal decides, then accuracy.
bool IsBetterTrial(const SearchTrial& a, const SearchTrial& b, SearchGoal goal);

/// As samplers see them: the loss is the place in this order. `points`: one for each trial.
std::vector<TriedPoint> AsTried(const std::vector<SearchTrial>& trials, const std::vector<Point>& points,
                                SearchGoal goal);

/// Sets SearchTrial::on_front.
void MarkFront(std::vector<SearchTrial>& trials);

/// kRequirementNotMet, with the trial that comes nearest to float. @param trials  not empty; none is good enough
Status NoneIsGoodEnough(const std::vector<SearchTrial>& trials);

}  // namespace preon
