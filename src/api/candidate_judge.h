// CandidateJudge: makes quantized forms of a model and says whether each may be shipped.
#pragma once

#include "api/candidates.h"
#include "api/judge/model_judge.h"

namespace preon {

/// What became of a candidate.
struct Tried {
  ValidatedModel model;            ///< `failed` says why there is none
  std::string file;                ///< until the next is made
  bool is_refused = false;         ///< quantize would not write it, for nothing is gained
  bool computes_in_float = false;  ///< as its target means it: its speed tells nothing
  WrittenTarget written;           ///< what it was made for
  AccuracyFallback fallback;       ///< layers that were left in float
};

class CandidateJudge {
 public:
  /// What it is given outlives it.
  CandidateJudge(const std::string& model, RunInputs& run, const TempDir& folder);

  /// Made from `statistics`; what has to be chosen is chosen by the samples `fit`. Errors: kCancelled, those of the
  /// judge.
  Result<Tried> Try(const Candidate& candidate, const std::string& statistics, const Samples& fit, ModelJudge& judge);
  /// Why a model may not be shipped. Where no latency was measured, what is required of speed does not count.
  Result<std::vector<std::string>> WhyNot(const ValidatedModel& model, const LatencyPair& latency) const;

 private:
  const std::string& model_;
  const int64_t size_bytes_;  // of the float model
  RunInputs& run_;
  const TempDir& folder_;
};

}  // namespace preon
