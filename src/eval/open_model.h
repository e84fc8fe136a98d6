// A model in the runtime, with the graph that the runtime made of it.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "runtime/session.h"

namespace preon {

struct OpenedModel {
  Session session;
  std::optional<Model> optimized;  ///< absent where the runtime can't write it
};

/// For a model without a weight file: the runtime's copy would lie beside that. Errors: the runtime's.
Result<OpenedModel> OpenModel(const Model& model, SessionOptions options, const RunContext& context);

}  // namespace preon
