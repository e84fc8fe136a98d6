// Sub-graphs that a Graph keeps as they are (bodies of Loop, Scan, unusual Ifs; docs/design/subgraphs.md), opened one
// at a time.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace preon {

/// Calls `edit` with every sub-graph of every node of the model's graph and writes back what it becomes. The body is a
/// model of its own: what it reads from outside are inputs in front of whose facts it sees, and which `edit` must not
/// rename or remove; they are taken away again. Bodies inside of bodies are `edit`'s matter.
/// Errors: those of `edit`, naming node and attribute. The model may be half edited then.
Status EditSubGraphs(Model& model, const std::function<Status(Model& body)>& edit);

/// The first function of the model with a constant, a type or a Cast of this element type; empty if there is none.
std::string FunctionOfType(const Model& model, DataType type);

}  // namespace preon
