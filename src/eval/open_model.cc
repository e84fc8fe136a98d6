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

Result<Session> OpenSession(const std::string& path, const SessionOptions& options, const RunContext& context) {
  Result<Session> session = Session::OpenFile(path, options, context);
  if (session.ok()) return session;
  const Result<Model> loaded = LoadModel(path);
  if (!loaded.ok()) return loaded.status();
  if (loaded->external_files.empty()) return session;
  Result<Session> in_memory = Session::OpenModel(*loaded, options, context);
  return in_memory.ok() || in_memory.status().id() == ErrorId::kCancelled ? std::move(in_memory) : std::move(session);
}

}  // namespace preon
