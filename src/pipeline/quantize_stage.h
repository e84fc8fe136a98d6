// From statistics to a verified file: ranges, Q/DQ, load and run in the runtime, comparison, and only then the output.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/options.h"
#include "data/sample_runs.h"
#include "ir/model_io.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/float_outputs.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "pipeline/samples.h"
#include "report/results/results.h"

namespace preon {

/// What is known of it, and the file that gets its name when all else that was asked for is written.
struct QuantizedModel {
  QuantizeResult result;
  StagedModel file;
};

/// Which samples the figures come from (docs/design/figures.md).
struct ComparedSamples {
  SampleRuns left_out;  ///< calibrated with or chosen by: not compared; none where all are
  SampleRuns held_out;  ///< nothing may be fitted to these
  int64_t given = 0;    ///< how many samples there are, where codes are fitted that no calibration of this run counts
  /// Their statistics lack samples that are compared, each sample is missing in one of them. Null: the written model
  /// itself is compared.
  const StandIns* stand_ins = nullptr;
  Samples judging;  ///< all of these are compared instead; none where it can't be opened
  FigureSamples figures;
};

/// What writing and verifying depend on.
struct QuantizeInputs {
  const Target& target;
  const RangeMethod& method;
  const WriteOptions& write;
  /// Inputs and outputs that become NHWC; empty: all images. Nullopt: none.
  std::optional<std::set<std::string>> to_nhwc;
  bool float16;               ///< a float16 model computes in float16, scales too
  const std::string& output;  ///< the file
  std::optional<double> latency_seconds;
  MemoryUse memory;
  const std::vector<std::string>& warnings;  ///< of the options; in front of all others
};

class QuantizeStage {
 public:
  /// What it is given, and what that refers to, outlives it.
  QuantizeStage(const QuantizeInputs& inputs, const Samples& samples, const RunContext& context)
      : inputs_(inputs), samples_(samples), context_(context) {}

  /// Quantizes, verifies and writes the output but for its name; fills everything of the result but sizes and facts.
  /// Where the runtime turns out to compute in float what was planned in integers, `prepared` gets a plan without it,
  /// and again.
  /// @param float_outputs  of the samples, as far as they are known
  /// Errors: kVerifyLoad, kVerifyRun, kVerifyOutput (nothing is written then), those of WritePlan and of writing.
  Result<QuantizedModel> Run(PreparedModel& prepared, const PlanInputs& inputs, const FallbackPlanner& fallback,
                             const FloatOutputs& float_outputs, const ComparedSamples& compared) const;

 private:
  struct Written;
  struct SomeSamples;
  struct FloatSide;

  /// @param compared  each pass over the result is compared on this batch; null: none is
  Result<Written> WriteOnce(const PlannedModel& prepared, const PlanInputs& inputs, const Batch* compared) const;
  Status LoadForVerification(const PlannedModel& prepared, Written& written) const;
  /// Algorithms that act on the written model.
  Status ImproveWritten(const PlannedModel& prepared, const std::vector<const Algorithm*>& algorithms,
                        const SomeSamples& fitted, Written& written, std::vector<ImprovedCodes>& improved) const;
  /// @param opened  a session of `quantized`, or null
  Status CompareWithFloat(const FloatSide& in_float, const Model& quantized, const Samples& samples, Session* opened,
                          Comparer& comparer) const;
  /// Each on the samples that it has not seen; absent where there is no telling.
  Result<std::optional<Comparison>> CompareStandIns(const PlannedModel& prepared, const FloatSide& in_float,
                                                    const PlanInputs& inputs, const StandIns& stand_ins) const;
  /// The result's figures, and which samples they come from.
  Status CompareResult(const PlannedModel& prepared, const PlanInputs& inputs, const FloatSide& in_float,
                       const ComparedSamples& compared, Written& written, QuantizeResult& result) const;
  Result<std::vector<DpuCost>> DpuCostsOf(const PlannedModel& prepared, const Batch& batch, const PlanInputs& inputs,
                                          const FloatOutputs& float_outputs) const;
  Status MeasureLatencies(const Model& source, const Batch& batch, Written& written, QuantizeResult& result) const;
  Status NotWritten(ErrorId id, std::string_view why, const Status& reason) const;

  const QuantizeInputs inputs_;
  const Samples& samples_;
  const RunContext& context_;
};

}  // namespace preon
