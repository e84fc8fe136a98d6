// OutputJudge: how near the model's outputs come to float on the judging samples.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eval/score_channels.h"
#include "reconstruct/live_runs.h"

namespace preon {

class OutputJudge {
 public:
  /// Runs the float model. @param output  the one that counts; nullopt: all of floats
  /// Errors: kNameNotInModel where the model has no such output, the runtime's.
  static Result<OutputJudge> Make(const Model& reference, std::optional<int64_t> output, const LiveRuns& live);
  /// False: no output that counts is of floats, so that nothing can be judged.
  bool HasOutputs() const { return !outputs_.empty(); }
  /// Squared error over the squares of float, averaged over outputs with floats that are not zero, where scores beside
  /// coordinates are one of their own (ScoreChannels); infinity where an output has another shape or is not finite
  /// where float is. From what is alive on. Errors: the runtime's.
  Result<double> Error(const Model& quantized, const LiveRuns& live) const;

 private:
  std::vector<size_t> runs_;
  std::set<std::string> outputs_;
  struct Expected {
    Tensor values;
    std::optional<ScoreChannels> scores;
  };
  std::vector<std::map<std::string, Expected>> expected_;  // by run
};

}  // namespace preon
