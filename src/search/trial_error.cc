#include "search/trial_error.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

// Of this many runs; half as many have to be twice as clear.
constexpr double kClearDb = 1, kClearErrors = 3, kEnoughRuns = 8, kLeastRuns = 4;

}  // namespace

bool IsClearlyWorse(const TrialError& error, const TrialError& best) {
  const size_t last = error.prefixes_db.size() - 1;
  if (last >= best.prefixes_db.size() || !error.prefixes_db[last] || !best.prefixes_db[last]) return false;
  double sum = 0, squares = 0, count = 0;
  for (size_t run = 0; run < std::min(error.runs_db.size(), best.runs_db.size()); ++run) {
    if (!error.runs_db[run] || !best.runs_db[run]) continue;
    const double behind = *best.runs_db[run] - *error.runs_db[run];
    sum += behind;
    squares += behind * behind;
    ++count;
  }
  if (count < kLeastRuns) return false;
  const double mean = sum / count, variance = std::max(0.0, squares / count - mean * mean) / (count - 1);
  const double doubt = std::max(1.0, kEnoughRuns / count);
  return std::min(mean, *best.prefixes_db[last] - *error.prefixes_db[last]) > doubt * kClearDb &&
         mean > doubt * kClearErrors * std::sqrt(variance);
}

}  // namespace preon
