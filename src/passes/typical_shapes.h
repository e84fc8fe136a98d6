// What estimates take for shapes that depend on the run.
#pragma once

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace preon {

/// Fills Graph::typical_shapes: shapes of one sample where inputs leave sizes open, as in a typical run. Along the
/// first axis 1, else 640 pixels of images, 16,000 samples of a signal and 64 of anything else (tokens, frames); what
/// follows from these is inferred.
/// @param evaluator  computes constants of shapes; null: simple ones alone
void SetTypicalShapes(Model& model, Evaluator* evaluator);

}  // namespace preon
