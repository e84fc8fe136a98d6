#include "eval/open_model.h"

#include "base/output/temp_dir.h"
#include "ir/model_io.h"

namespace preon {

Result<OpenedModel> OpenModel(const Model& model, SessionOptions options, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context.TempDir()));
  options.save_optimized_to = folder.File("optimized.onnx");
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(model, options, context));
  Result<Model> optimized = LoadModel(options.save_optimized_to);
  return OpenedModel{std::move(session), optimized.ok() ? std::optional(std::move(optimized).value()) : std::nullopt};
}

}  // namespace preon
