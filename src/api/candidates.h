// Candidates: quantized forms of one float model from one file of statistics, for `validate` and `search`.
#pragma once

#include <set>
#include <string>

#include "base/output/temp_dir.h"
#include "pipeline/run_inputs.h"
#include "report/results/validated.h"

namespace preon {

enum class WrittenWhen {
  kAlways,
  kAsQuantize,  ///< with its speed, and refused or made for another target where quantize does so
  kWithGain,    ///< with its speed, and refused where nothing is gained over float although its target is asked for
};

/// A way to quantize.
struct Candidate {
  std::string name;     ///< for people
  std::string options;  ///< of the command line, to paste
  Options settings;     ///< statistics and output are set by MakeCandidate
  WrittenWhen written = WrittenWhen::kAlways;
  std::set<std::string> replaces = {};  ///< options of the run that `options` take the place of, by name
};

/// Statistics of these samples in a file NAME.calib of the folder, which candidates with such options are made from. ""
/// where their target needs none. Errors: those of calibrate.
Result<std::string> CollectStatistics(const std::string& model, const Options& settings, const Samples& samples,
                                      std::string_view name, RunInputs& run, const TempDir& folder);

/// Writes it into `folder`. Errors: those of quantize.
Result<QuantizeResult> MakeCandidate(const std::string& model, const Candidate& candidate, const Samples& samples,
                                     const std::string& statistics, RunInputs& run, const TempDir& folder);

/// Statistics in `folder` that ValidateIn made from the samples that calibrate; it may not have needed them.
inline std::string StatisticsOfValidate(const TempDir& folder) { return folder.File("fit.calib"); }
/// ValidateVerb, which leaves its statistics in `folder`.
Result<ValidateResult> ValidateIn(const TempDir& folder, const std::vector<std::string>& models, RunInputs& run);

}  // namespace preon
