#include "pipeline/nhwc_result.h"

#include <set>

#include "eval/compare_models.h"
#include "ir/model_io.h"
#include "quantize/qdq_passes/to_nhwc.h"
#include "runtime/session.h"

namespace preon {
namespace {

// The same integers come out, but for what the runtime fuses otherwise around a Transpose: a step here and there.
constexpr double kSameNhwcSqnrDb = 40;

std::vector<NamedTensor> Transposed(std::vector<NamedTensor> tensors, const std::set<std::string>& images) {
  for (NamedTensor& tensor : tensors) {
    if (images.contains(tensor.name)) tensor.tensor = TransposedToNhwc(tensor.tensor);
  }
  return tensors;
}

}  // namespace

Status GiveNhwc(Model& quantized, const Batch& batch, const std::vector<NamedTensor>& outputs, const Job& job,
                std::vector<std::string>& warnings) {
  const NhwcBorder border = ToNhwc(quantized.graph);
  warnings.insert(warnings.end(), border.warnings.begin(), border.warnings.end());
  if (border.inputs.empty() && border.outputs.empty()) return Status::Ok();
  PREON_RETURN_IF_ERROR(quantized.graph.SortTopologically());
  if (job.options.value_info) InferShapes(quantized);
  const auto not_written = [&](ErrorId id, const Status& reason) {
    return Error(id, job.options.output, ": not written: with images as NHWC: ", reason.message());
  };
  Result<Session> session = Session::OpenModel(quantized, {.threads = job.context.ThreadCount()}, job.context);
  if (!session.ok()) return not_written(ErrorId::kVerifyLoad, session.status());
  const auto got = session->Run(Transposed(batch.feeds, border.inputs), job.context);
  if (!got.ok()) return not_written(ErrorId::kVerifyRun, got.status());
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(Transposed(outputs, border.outputs), *got, batch.samples, {}));
  for (const auto& [name, output] : comparer.Finish().outputs) {
    if (output.shape_differs == 0 && output.not_finite == 0 &&
        (output.sqnr_db >= kSameNhwcSqnrDb || output.max_abs == 0))
      continue;
    return not_written(ErrorId::kVerifyOutput,
                       Error(ErrorId::kVerifyOutput, "output '", name, "' differs: SQNR ", output.sqnr_db, " dB"));
  }
  return Status::Ok();
}

}  // namespace preon
