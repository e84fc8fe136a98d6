// RunInputs: all that one run is given. A verb hands each stage the parts that it reads.
#pragma once

#include <memory>
#include <string_view>

#include "base/context.h"
#include "base/stage_clock.h"
#include "config/builtins.h"
#include "config/options.h"
#include "config/resolve/resolve_options.h"
#include "pipeline/samples.h"
#include "report/results/results.h"

namespace preon {

class ModelPreparation;
class CalibrationStage;
class QuantizeStage;
class PartialCalibration;

/// Lives in the caller of the verb; what it refers to outlives it.
struct RunInputs {
  const Options& options;
  const Builtins& builtins;
  std::unique_ptr<StageClock> clock;
  RunContext context;  ///< the caller's, with `clock`
  Choices choices;
  Samples samples;

  /// Algorithms that are offered act, too, where statistics are collected for this run alone. Before Preparation().
  void TakeOfferedAlgorithms();
  /// The stages, each with what it reads of all this.
  ModelPreparation Preparation();
  CalibrationStage Calibration(const ModelPreparation& preparation) const;
  QuantizeStage Quantization() const;
  /// Beside the output.
  PartialCalibration Partial() const;

 private:
  void TellChoices() const;  // to the log
};

/// Resolves the names in the options. `callers_samples` empty: from the options' data sources, one random sample where
/// statistics come from a file or none are needed, else none.
Result<RunInputs> MakeRunInputs(const Options& options, const Builtins& builtins, const RunContext& context,
                                OpenSamples callers_samples = {});

/// Warns where samples are random: then `what`, of a result, does not describe real data.
void WarnOfRandom(const SourceOptions& from, const std::vector<std::string>& eval, std::string_view what,
                  std::vector<std::string>& warnings);

/// What every answer carries; ends the running stage.
/// @param workers_peak_rss_bytes  largest resident sets of other processes that worked for this run, together
RunFacts RunFactsOf(const RunContext& context, std::string_view verb, int64_t workers_peak_rss_bytes = 0);

}  // namespace preon
