// What the stages of one run share: options, what their names stand for, the run context, a way to the samples, times.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/tensor_spec.h"
#include "config/resolve_options.h"
#include "data/data_options.h"
#include "data/data_source.h"
#include "pipeline/saved_ranges.h"
#include "report/results.h"

namespace preon {

/// Opens the samples from the start; called once per pass over them.
using OpenSamples = std::function<Result<std::unique_ptr<DataSource>>(const std::vector<TensorSpec>& inputs,
                                                                      const SampleSelection& selection)>;

/// Measures the stages of a run.
class StageClock {
 public:
  /// Ends the running stage and starts `stage`; a name that comes again adds up.
  void Begin(std::string_view stage);
  /// Ends the running stage and fills the facts that every answer carries.
  RunFacts Finish(std::string_view verb);
  /// Largest resident sets of other processes that worked for this run, together.
  void AddPeakRss(int64_t bytes) { others_peak_rss_bytes_ += bytes; }

 private:
  using Clock = std::chrono::steady_clock;
  void EndStage();

  Clock::time_point start_ = Clock::now(), stage_start_ = start_;
  std::string stage_;
  std::vector<std::pair<std::string, double>> seconds_;
  int64_t others_peak_rss_bytes_ = 0;
};

/// One run. Lives in the verb's function; everything it points to outlives it.
struct Job {
  const Options& options;
  const Builtins& builtins;
  const RunContext& context;
  Choices choices;
  OpenSamples open_samples;
  bool made_up_sample = false;   ///< nobody gave samples: open_samples yields one of noise
  bool callers_samples = false;  ///< open_samples is the caller's: no other process can open them
  StageClock clock;
  std::optional<std::map<std::string, Range>> collected;  ///< by tensor, where the method collects: after the pass
  std::optional<SavedRanges> saved;  ///< of --save-and-restore: these ranges go over those of the statistics
};

/// Resolves the names in the options. `open_samples` empty: from the options' data sources; stays empty without any.
Result<Job> MakeJob(const Options& options, const Builtins& builtins, const RunContext& context,
                    OpenSamples open_samples = {});

/// The first batch. Errors: kDataEmpty, those of the source.
Result<Batch> FirstBatch(const Job& job, const std::vector<TensorSpec>& inputs);

/// A model's inputs as data sources want them.
std::vector<TensorSpec> InputSpecs(const Graph& graph);

}  // namespace preon
