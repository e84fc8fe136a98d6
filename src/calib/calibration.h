// Calibration: one pass over the data fills a sketch per observed tensor; the result is a file that merges exactly.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "calib/derived_tensors.h"
#include "calib/range_collection.h"
#include "calib/sample_rows.h"
#include "calib/statistics_request.h"
#include "data/data_source.h"
#include "data/run_plan.h"
#include "data/sample_runs.h"
#include "ir/graph.h"
#include "ranges/range_method.h"
#include "ranges/refine/masked_scores.h"
#include "ranges/refine/tensor_context.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// Where a tensor comes from: the operator that computes it, "input" for what the model is fed.
struct TensorOrigin {
  std::string tensor, op;
  bool operator==(const TensorOrigin&) const = default;
};

/// A range that the plan wants of a tensor: with the statistics, all that a method needs to choose it.
struct PlannedRange {
  std::string observed;  ///< the tensor whose statistics are its own
  RangeQuery query;
  std::string method;  ///< of its own; "" = that of the options
  TensorContext context;
  MaskRole mask = {};  ///< none where ranges are to be as the method says
  bool operator==(const PlannedRange&) const = default;
};
using PlannedRanges = std::map<std::string, PlannedRange>;  ///< by tensor

/// Everything calibration learned; saved as *.calib.
struct CalibrationData {
  std::string model_fingerprint;  ///< Model::fingerprint of the source model
  std::string setup;              ///< canonical text of what else must agree to merge (target, graph version, mode)
  std::map<std::string, TensorSketch> tensors;  ///< by tensor name
  std::map<std::string, std::string>
      shared;              ///< tensor -> tensor whose range it shares (moves values only), not observed itself
  DerivedTensors derived;  ///< those of `tensors` whose sketch follows from another one's
  std::vector<TensorOrigin> origins;  ///< of the tensors, each once, in the order in which the model computes them
  SampleRuns samples;                 ///< canonical
  /// One row per sample, ascending; none where they were not asked for.
  std::optional<std::vector<SampleRow>> per_sample;
  PlannedRanges planned;  ///< merging keeps those that are equal
  /// The type of activations that was asked for, of which targets make others; merging keeps it where it is equal.
  std::string activation;
  SerializedStatistics statistics;  ///< beside the sketches: what algorithms have asked for
  int64_t sample_count() const { return CountSamples(samples); }
};

struct CalibrateOptions {
  SketchMode mode = SketchMode::kSampled;
  bool optimize = true;  ///< false: runtime's optimizer off
  MemoryUse memory = MemoryUse::kBalanced;
  /// Keeps a SampleRow of every sample: memory then grows by 12 bytes per tensor and sample, and their names.
  bool per_sample = false;
  /// Also shown every value; null: nobody. Its runs come one after the other.
  RangeCollection* collection = nullptr;
  /// Runs one after the other, on so many threads inside operators; 0: as PlanRuns thinks best.
  int serial_threads = 0;
  /// Sees every batch and the model's outputs for it; an error ends the calibration.
  std::function<Status(const Batch& batch, const std::vector<NamedTensor>& outputs)> see_run;
  bool may_be_empty = false;  ///< a source without samples is no error
  /// So many parts of the data (Batch::part) have statistics apart, which `of_parts` gets; the result is of all. For a
  /// pass from the start, without collection and rows per sample. Memory: the sketches so many times.
  size_t parts = 1;
  std::vector<CalibrationData>* of_parts = nullptr;
  /// What an interrupted pass over the same samples has learned. Samples of it that the source yields are not run.
  std::optional<CalibrationData> start;
  double checkpoint_seconds = 0;
  /// Gets what was learned so far, every `checkpoint_seconds` and when the calibration is cancelled, which then waits
  /// for the runs that are under way; an error ends the calibration. Empty: never.
  std::function<Status(const CalibrationData& so_far)> checkpoint;

  /// May some sketches be made from others'?
  bool derives() const;
};

/// Runs `source` (wrap it in Prefetch to read ahead) through `model` once and collects what `request` names of float
/// tensors of the model. Memory does not grow with the number of samples unless each keeps a row. The model is let go
/// of once the runtime has its own. `setup`, `shared`, `planned` and
/// `activation` are the caller's to fill.
///
/// Not finite: infinities are left out of all statistics and a warning counts them (attention masks hold -inf, and the
/// finite values are what the codes are for). A NaN is an error: no range can represent it, and the float model itself
/// is broken on that sample. The source has checked its own values (data/convert.h).
/// Errors: kDataEmpty; kRangeNotFinite naming the tensor and the sample; kSketchMismatch where the channels of a
/// per-channel tensor change; kCancelled; whatever the source and the runtime report.
Result<CalibrationData> Calibrate(Model model, const StatisticsRequest& request, DataSource& source,
                                  const CalibrateOptions& options, const RunContext& context);

/// Tensors of the request that a calibration which derives does not observe, because their sketches follow from
/// others'.
DerivedTensors WhatToDerive(const Graph& graph, const StatisticsRequest& request);
/// Makes the sketches of the derived tensors again from their sources', apart from the channel means.
void DeriveSketches(CalibrationData& data);
/// Of each of `tensors`, in the order in which the graph computes them.
std::vector<TensorOrigin> OriginsOf(const Graph& graph, const std::set<std::string>& tensors);

/// Errors: kCalibFileMismatch unless both fingerprints are those of one model.
Status CheckSameModel(std::string_view fingerprint, std::string_view wanted);

/// Exact: the parts of a split in any order give what one run over all samples gives. At least one part.
/// @param kinds  of the statistics beside the sketches that the parts may have
/// Errors: kCalibFileMismatch (another model, setup or set of tensors, the same sample twice, rows of samples in some
/// parts only, a statistic of an unknown kind); "input 2" is parts[1].
Result<CalibrationData> MergeCalibrations(std::vector<CalibrationData> parts,
                                          const std::vector<const StatisticKind*>& kinds = {});

/// Versioned, checksummed; equal data give equal bytes. Errors: those of WriteFileAtomically; kCalibFileMalformed,
/// kIoRead.
Status SaveCalibration(const CalibrationData& data, const std::string& path);
Result<CalibrationData> LoadCalibration(const std::string& path, int threads = 1);
/// By how it begins: it may be damaged, and have any name.
bool IsCalibFile(const std::string& path);

}  // namespace preon
