#include "search/space/trial_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/spelling.h"

namespace preon {
namespace {

auto KeyOf(const SearchTrial& trial, SearchGoal goal) {
  const double first = goal == SearchGoal::kSize    ? static_cast<double>(trial.size_bytes)
                       : goal == SearchGoal::kSpeed ? -trial.speedup.value_or(0)
                                                    : 0;
  return std::tuple(!trial.failed.empty(), !trial.why_not.empty(), first, trial.metric_loss.value_or(0),
                    -trial.sqnr_db);
}

bool Dominates(const SearchTrial& a, const SearchTrial& b) {
  const auto figures = [](const SearchTrial& trial) {
    return std::array{trial.metric_loss.value_or(-trial.sqnr_db), static_cast<double>(trial.size_bytes),
                      -trial.speedup.value_or(0)};
  };
  const auto of_a = figures(a), of_b = figures(b);
  return of_a != of_b && std::ranges::equal(of_a, of_b, std::less_equal());
}

}  // namespace

Result<SearchGoal> ParseSearchGoal(const std::string& text) {
  if (text.empty() || text == "accuracy") return SearchGoal::kAccuracy;
  if (text == "size") return SearchGoal::kSize;
  if (text == "speed") return SearchGoal::kSpeed;
  const std::vector<std::string> known = {"accuracy", "size", "speed"};
  return Error(ErrorId::kUnknownOption, "--goal: got '", text, "', wanted accuracy, size or speed",
               DidYouMean(text, known));
}

bool IsBetterTrial(const SearchTrial& a, const SearchTrial& b, SearchGoal goal) {
  return KeyOf(a, goal) < KeyOf(b, goal);
}

std::vector<TriedPoint> AsTried(const std::vector<SearchTrial>& trials, const std::vector<Point>& points,
                                SearchGoal goal) {
  std::vector<size_t> order(trials.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return IsBetterTrial(trials[a], trials[b], goal); });
  std::vector<TriedPoint> tried(trials.size());
  for (size_t place = 0; place < order.size(); ++place) {
    TriedPoint& each = tried[order[place]];
    each.point = points[order[place]];
    if (trials[order[place]].failed.empty()) each.loss = static_cast<double>(place);
  }
  return tried;
}

void MarkFront(std::vector<SearchTrial>& trials) {
  for (SearchTrial& trial : trials) {
    trial.on_front = trial.failed.empty() && std::ranges::none_of(trials, [&](const SearchTrial& other) {
                       return other.failed.empty() && Dominates(other, trial);
                     });
  }
}

Status NoneIsGoodEnough(const std::vector<SearchTrial>& trials) {
  const SearchTrial& nearest = *std::ranges::min_element(
      trials, [](const SearchTrial& a, const SearchTrial& b) { return IsBetterTrial(a, b, SearchGoal::kAccuracy); });
  return Error(ErrorId::kRequirementNotMet, "none of ", trials.size(),
               " configurations reaches what is required; the nearest to float, ", nearest.config, ": ",
               nearest.why_not);
}

}  // namespace preon
