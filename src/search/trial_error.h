// What a trial tells, and the race of trials: which of them need not go on (Maron and Moore 1993, "Hoeffding races").
#pragma once

#include <optional>
#include <vector>

namespace preon {

/// Of one run: beyond, nobody sees a difference, and more counts as this.
inline constexpr double kMostRunDb = 60;

/// How near a quantized model comes to float in some runs.
struct RunsError {
  double sqnr_db = 0;     ///< over all of them, noise over signal averaged over the outputs
  double typical_db = 0;  ///< mean of each one's SQNR: says little of the worst, and much with few samples
};

/// How near a quantized model comes to float.
struct TrialError {
  double sqnr_db = 0;        ///< over all runs of the trial
  RunsError some;            ///< over those of TrialSize::kSome, which any trial that did not end early has done
  bool ended_early = false;  ///< it clearly was worse than the best one: sqnr_db is as far below that one's
  /// SQNR of each run, and over the first 4, 8, 16 … runs and all; none where no output could be compared.
  std::vector<std::optional<double>> runs_db, prefixes_db;
};

/// Whether a trial that has done some runs is behind the best one on these: by more than 1 dB, in the mean of the runs
/// and over all of them, and by more than three standard errors of that mean. SQNR differs much from run to run, that
/// of two models in one run little, so runs are compared in pairs; 4 at least, and twice as clear with fewer than 8.
/// @param error  with the last of prefixes_db over the runs that it has  @param best  on all samples
bool IsClearlyWorse(const TrialError& error, const TrialError& best);

}  // namespace preon
