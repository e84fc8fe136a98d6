#include "search/speed_check.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/system.h"
#include "runtime/session.h"

namespace preon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 0.2;
constexpr int kLeastRounds = 2, kMostRounds = 100;
// Only what is grossly wrong is refused: the decision has to be the same in the next run.
constexpr double kTimesEstimate = 2, kTolerance = 0.1;
constexpr double kSpread = 0.02;       // by which two measurements of one model differ
constexpr double kUnnoticedMs = 0.02;  // of a run: what a few nodes more or less take on one machine or another

}  // namespace

Result<std::vector<double>> FastestRunsMs(std::span<const Model* const> models, const std::vector<NamedTensor>& feeds,
                                          const RunContext& context) {
  std::vector<Session> sessions;
  for (const Model* model : models) {
    PREON_ASSIGN_OR_RETURN(Session session,
                           Session::OpenModel(*model, {.threads = 1, .spin_between_runs = false}, context));
    sessions.push_back(std::move(session));
  }
  std::vector<double> fastest(sessions.size(), std::numeric_limits<double>::infinity());
  const Clock::time_point start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (int round = 0; round < kLeastRounds || (round < kMostRounds && seconds() < kSeconds); ++round) {
    for (size_t index = 0; index < sessions.size(); ++index) {
      // A session of one thread runs on this one: time that other programs take does not count.
      const double began = ThreadSeconds();
      PREON_RETURN_IF_ERROR(sessions[index].Run(feeds, context).status());
      fastest[index] = std::min(fastest[index], (ThreadSeconds() - began) * 1e3);
    }
  }
  return fastest;
}

bool IsAsFastAsEstimated(const FormTimes& ms, double cost) {
  if (ms.after <= std::min(ms.before, ms.in_float) + kUnnoticedMs) return true;
  if (ms.after > ms.before * (1 + kTimesEstimate * std::max(cost, 0.0) + kTolerance)) return false;
  return ms.after <= ms.in_float || ms.after <= ms.before * (1 + kSpread);
}

}  // namespace preon
