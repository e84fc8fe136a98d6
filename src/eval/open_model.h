// A model in the runtime, also with the graph that the runtime made of it.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"
#include "runtime/session.h"

namespace preon {

struct OpenedModel {
  Session session;
  std::optional<Model> optimized;  ///< absent where the runtime can't write it
};

/// For a model without a weight file: the runtime's copy would lie beside that. Errors: the runtime's.
Result<OpenedModel> OpenModel(const Model& model, SessionOptions options, const RunContext& context);

/// The model in a file. The runtime reads shapes and the like only where they lie in the file itself: a model that has
/// them in external data is loaded first, and small tensors are then in memory, as in all models that preon writes.
/// Errors: the loader's where it refuses the file, else the runtime's.
Result<Session> OpenSession(const std::string& path, const SessionOptions& options, const RunContext& context);

}  // namespace preon
