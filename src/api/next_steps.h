// Steps: what may be done about a model that can't be shipped as it is, each made and judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/candidate_judge.h"
#include "api/judge/judging_samples.h"

namespace preon {

/// What `validate` works with, and what it has found so far.
struct Validation {
  const std::string& model;
  RunInputs& run;
  const TempDir& folder;
  ValidateResult& result;
  std::vector<TensorSpec> inputs;
  std::string fingerprint;  ///< of the float model
  KeptSamples kept;         ///< what calibrates and chooses; what judges
  AskedMetric asked;
  Samples reference;  ///< what the first output should be for kept.judging; no `open`: not known
  std::optional<ModelJudge> judge;
  CandidateJudge candidates;
  std::string statistics;          ///< of kept.fit
  bool computes_in_float = false;  ///< the judged model, as its target means it
  bool is_refused = false;         ///< quantize would not write the judged model, for nothing is gained
  bool has_float_layers = false;   ///< quantize left layers of the judged model in float for accuracy
  bool is_accurate = true;         ///< whatever the judged model's speed
  bool is_slow = false;            ///< slower than float, or than required
};

/// As the options say, and as quantize does.
Candidate Given(const Options& options);

/// Adds steps to the result: those against what is slow, or data, method, granularity, layers, weights, target, in the
/// order in which an engineer would look, up to the first that is enough. Errors: kCancelled, those of the judge.
/// @param file  the judged model, where somebody gave it; "": the candidate as given
Status FindSteps(Validation& of, const std::string& file);

}  // namespace preon
