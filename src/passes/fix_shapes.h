// Shapes of a model's inputs and outputs, set from outside. Comes before what rewrites are compared with.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// Gives graph inputs and outputs these shapes, and open dimensions of the same name everywhere else their sizes. What
/// follows from them is inferred.
/// Errors: kNameNotInModel; kBadOptionValue where the rank or a dimension that the model fixes differs, or where a
/// dimension would get two sizes. The model is then unchanged.
Status FixShapes(Model& model, const std::map<std::string, Shape>& shapes);

}  // namespace preon
