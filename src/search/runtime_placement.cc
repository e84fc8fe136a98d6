#include "search/runtime_placement.h"

#include "base/output/temp_dir.h"
#include "eval/fusion_report.h"
#include "ir/model_io.h"
#include "pipeline/placement.h"
#include "runtime/session.h"

namespace preon {

Result<std::optional<Placement>> RuntimePlacement(const PlannedModel& prepared, const Model& quantized,
                                                  const RunContext& context) {
  if (quantized.weight_file) return std::optional<Placement>();  // the runtime's copy would lie beside the user's file
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context.TempDir()));
  const std::string saved = folder.File("optimized.onnx");
  PREON_RETURN_IF_ERROR(
      Session::OpenModel(quantized, {.threads = context.ThreadCount(), .save_optimized_to = saved}, context).status());
  const Result<Model> optimized = LoadModel(saved);
  if (!optimized.ok()) return std::optional<Placement>();
  return std::optional(
      JoinPlacement(prepared.plan, prepared.model.graph, ObserveKernels(quantized.graph, optimized->graph)));
}

}  // namespace preon
