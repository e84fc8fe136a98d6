// Calibration of a prepared model: one pass over the samples, by this process or by workers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "base/context.h"
#include "calib/calibration.h"
#include "calib/stand_ins.h"
#include "config/options.h"
#include "instrument/instrumented_model.h"
#include "pipeline/float_outputs.h"
#include "pipeline/prepare_model.h"
#include "pipeline/samples.h"
#include "pipeline/saved_ranges.h"
#include "pipeline/trial_samples.h"

namespace preon {

class PartialCalibration;

/// What a pass has learned.
struct Calibration {
  CalibrationData data;
  std::optional<TensorRanges> collected_ranges;  ///< by observed tensor, where the method collects
  StandIns stand_ins;
  bool in_pieces = false;              ///< by workers, or going on from an interrupted run: without stand-ins
  int64_t workers_peak_rss_bytes = 0;  ///< of other processes that worked for it, together
};

/// What a pass keeps beside statistics, and what it goes on from. Each may be null.
struct PassFiles {
  TrialSamples* trial = nullptr;          ///< gets some of the samples
  FloatOutputs* float_outputs = nullptr;  ///< gets the model's outputs for the first ones
  PartialCalibration* partial = nullptr;  ///< keeps what an interrupted pass has learned; removed by the caller
  const SavedRanges* saved = nullptr;     ///< only tensors that it lacks are observed, and without workers
  bool keep_model = true;                 ///< false: `prepared.model` is freed after the first run
  bool holds_out = false;                 ///< some samples are kept from the trials, and their statistics apart
};

/// What calibration depends on.
struct CalibrationInputs {
  const CalibrationOptions& options;
  SketchMode mode;  ///< of the options, or what a method wants
  MemoryUse memory;
  Compat compat;
  std::string activation;  ///< name of the type
  const RangeMethod& method;
  const std::vector<const Algorithm*>& algorithms;
  const std::vector<const Algorithm*>& offered;  ///< those of them that a worker takes only where it is told so
  const GivenSettings& given;                    ///< for workers
};

/// Observes what range choice and the algorithms want to know. The first run also checks the rewrites; where they
/// change the outputs, the model is prepared again with every pass verified, and so is the calibration.
class CalibrationStage {
 public:
  /// What it is given, and what that refers to, outlives it.
  CalibrationStage(const CalibrationInputs& inputs, const Samples& samples, const ModelPreparation& preparation,
                   const RunContext& context)
      : inputs_(inputs), samples_(samples), preparation_(preparation), context_(context) {}

  /// Errors: those of Calibrate, of the samples and of the workers. Where something was learned that --resume can go on
  /// from, a hint names the file.
  Result<Calibration> Run(PreparedModel& prepared, const PassFiles& files) const;

  /// The same statistics and the .calib around them, for a model that collects where it is served.
  Instrumentation InstrumentationOf(const PlannedModel& prepared, std::optional<Float16> float16,
                                    const InstrumentOptions& how_often) const;

 private:
  CalibrateOptions HowToCalibrate() const;
  StatisticsRequest Request(const PlannedModel& prepared, const SavedRanges* saved) const;
  /// All but what samples bring.
  CalibrationData HeaderOf(const PlannedModel& prepared, std::optional<Float16> float16) const;
  Result<RangeCollection> MakeCollection(const QuantPlan& plan) const;
  Result<SampleSelection> SelectSamples(const std::optional<CalibrationData>& start) const;
  Status KeepTrialSamples(const PlannedModel& prepared, const std::vector<TensorSpec>& inputs,
                          TrialSamples& trial) const;
  Result<std::optional<CalibrationData>> StartFrom(const PartialCalibration& partial, const PlannedModel& prepared,
                                                   const StatisticsRequest& request) const;
  Status SavePartial(const PartialCalibration& partial, const CalibrationData& so_far) const;
  Result<Calibration> RunOnce(PreparedModel& prepared, const PassFiles& files, bool check_rewrites) const;
  Result<Calibration> RunWithWorkers(PreparedModel& prepared, const PassFiles& files) const;
  Result<Calibration> RunVerified(PreparedModel& prepared, const PassFiles& files) const;

  const CalibrationInputs inputs_;
  const Samples& samples_;
  const ModelPreparation& preparation_;
  const RunContext& context_;
};

}  // namespace preon
