#include <algorithm>
#include <filesystem>

#include "api/calibrate_stage.h"
#include "api/output.h"
#include "api/quantize_stage.h"
#include "api/unreached.h"
#include "api/verbs.h"
#include "base/system.h"
#include "report/report_file.h"

namespace preon {
namespace {

Result<CalibrationData> CalibrateOrLoad(PreparedModel& prepared, Job& job) {
  if (job.options.calib.empty()) return CalibrateStage(prepared, job);
  job.clock.Begin("load");
  PREON_ASSIGN_OR_RETURN(CalibrationData data, LoadCalibration(job.options.calib));
  PREON_RETURN_IF_ERROR(CheckCalibrationFits(data, prepared, job.options.calib));
  const Status same = CheckRewrites(prepared, job);
  if (same.ok()) return data;
  if (same.id() != ErrorId::kPassFailed) return same;
  PREON_ASSIGN_OR_RETURN(prepared, PrepareWithCare(prepared.model.source_path, job, same));
  return data;
}

}  // namespace

Result<QuantizeResult> QuantizeVerb(const std::string& model, Job& job) {
  const Options& options = job.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("quantize", options, {model}));
  if (!job.open_samples) return MissingData("quantize", "--data SRC or --calib FILE");
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(model, job));
  PREON_ASSIGN_OR_RETURN(const CalibrationData data, CalibrateOrLoad(prepared, job));
  PREON_RETURN_IF_ERROR(LeaveUnreachedInFloat(data, job, prepared));
  ReleaseFreeMemory();
  PREON_ASSIGN_OR_RETURN(QuantizeResult result, QuantizeStage(prepared, data, job));
  result.model = model;
  result.output = options.output;
  result.float_size_bytes = prepared.source_size_bytes;
  result.quantized_size_bytes = FileSizeBytes(options.output);
  result.method = job.choices.method->name();
  result.activation = DataTypeName(options.plan.activation);
  result.weight = DataTypeName(options.plan.weight);
  result.target = job.choices.target->name();
  result.random_data = options.calib.empty() && options.has_random_data();
  if (job.made_up_sample || (!options.calib.empty() && options.has_random_data()))
    result.warnings.push_back("compared on noise, for want of --data: error, agreement and latency say little");
  result.facts = job.clock.Finish("quantize");
  if (options.report.empty()) return result;
  const Status reported = WriteReport(result, options.report);
  std::error_code ignored;
  if (!reported.ok()) std::filesystem::remove(options.output, ignored);  // all that was asked for, or nothing
  PREON_RETURN_IF_ERROR(reported);
  return result;
}

}  // namespace preon
