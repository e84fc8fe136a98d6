// TrialSamples: some of the samples of a calibration, evenly spread, with the float model's outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/data_source.h"

namespace preon {

/// One run of the float model.
struct TrialRun {
  Batch batch;
  std::vector<NamedTensor> outputs;
};

/// Keeps every 2^k-th run; k grows as runs come, so that neither their number nor their memory grows beyond a bound.
class TrialSamples {
 public:
  /// @param run_ns  about what a run takes: a model whose runs are short is tried on more of them
  explicit TrialSamples(double run_ns = 1e7);
  /// Whether the next run would be kept; if not, it counts as seen.
  bool Wants();
  void Keep(const Batch& batch, const std::vector<NamedTensor>& outputs);
  void Clear();
  const std::vector<TrialRun>& runs() const { return runs_; }
  void SetOutputs(size_t run, std::vector<NamedTensor> outputs) { runs_[run].outputs = std::move(outputs); }
  /// Every `step`-th run as a stream; not empty, and they outlive it.
  std::unique_ptr<DataSource> Open(size_t step = 1) const;

 private:
  size_t MaxRuns() const;

  size_t short_runs_;  // how many are few because they are short
  std::vector<TrialRun> runs_;
  int64_t seen_ = 0;
  int64_t step_ = 1;
  size_t bytes_ = 0;
};

/// Of `source` only the runs that `trial` wants, and none that is held out. Each has to be kept before the next one is
/// asked for; `trial` outlives it.
std::unique_ptr<DataSource> OnlyWanted(std::unique_ptr<DataSource> source, TrialSamples& trial);

}  // namespace preon
