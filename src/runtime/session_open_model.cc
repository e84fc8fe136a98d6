// Opening a session from a Model, which takes the ONNX library: apart from the rest, which custom-operator libraries
// use without it.
#include "onnxruntime_session_options_config_keys.h"

#include "ir/model_io.h"
#include "runtime/session_impl.h"

namespace preon {

Result<Session> Session::OpenModel(const Model& model, const SessionOptions& options, const RunContext& context) {
  PREON_RETURN_IF_ERROR(context.CheckCancelled());
  return Impl::OpenModel(model, options, {.libraries = context.custom_ops, .provider = context.provider()});
}

Result<Session> Session::Impl::OpenModel(const Model& model, const SessionOptions& options, SessionExtras extras) {
  PREON_ASSIGN_OR_RETURN(DetachedModel detached, DetachWeights(model));
  extras.weights = std::move(detached.weights);
  if (!detached.folder.empty())
    extras.config.emplace_back(kOrtSessionOptionsModelExternalInitializersFileFolderPath, detached.folder);
  return Open({model.source_path, detached.bytes}, options, extras);
}

}  // namespace preon
