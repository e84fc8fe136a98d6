// LiveRuns: the executor. For every run, the tensors that are alive at one place of the model.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "data/data_source.h"
#include "ir/graph.h"

namespace preon {

/// Sees the wanted tensors of one run, by name; several runs at once.
using SeeRun = std::function<Status(size_t run, const std::map<std::string, Tensor>& tensors)>;

class LiveRuns {
 public:
  /// At the place of the model's inputs. Shares the bytes of the batches.
  /// @param judging_step  see Judges; 0: every tenth run, of fewer than 160 about 16 but no more than every fourth
  LiveRuns(const std::vector<Batch>& batches, const RunContext& context, size_t judging_step = 0);

  size_t runs() const { return runs_.size(); }
  /// Samples of all runs together, and the first one of a run in the data.
  int64_t samples() const { return samples_; }
  int64_t FirstSample(size_t run) const { return first_samples_[run]; }
  /// Codes are fitted to some runs, and others judge them, every `judging_step`-th; with fewer than that, all do both.
  bool Judges(size_t run) const;
  bool Fits(size_t run) const;

  /// Computes tensors of the model from what is alive, for some of the runs: each on one thread, so that it gives the
  /// same for any number of threads. Errors: the runtime's.
  Status Run(const Model& model, const std::set<std::string>& wanted, const std::vector<size_t>& of_runs,
             const SeeRun& see) const;
  /// Goes on to the place where these are alive, unless they are more than `most_bytes` in all: then it stays, and what
  /// comes is computed from here again. Errors: the runtime's.
  Status GoOn(const Model& model, const std::set<std::string>& alive, size_t most_bytes);
  /// The same, and shows tensors on the way to there.
  Status GoOn(const Model& model, const std::set<std::string>& alive, size_t most_bytes,
              const std::set<std::string>& wanted, const SeeRun& see);

 private:
  class Way;
  std::map<std::string, ValueInfo> Known() const;

  const RunContext* context_;
  size_t judging_step_;
  int64_t samples_ = 0;
  std::vector<int64_t> first_samples_;
  std::vector<std::map<std::string, Tensor>> runs_;
};

/// 0, 1, … count - 1.
std::vector<size_t> AllRuns(size_t count);

}  // namespace preon
