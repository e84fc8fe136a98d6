// Inside runtime/: the edits of a graph that put observers into it. (Why this way: docs/design/observers.md)
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/tensor_observer.h"

namespace preon {

/// Errors: kNameNotInModel, kModelTypeUnsupported (a tensor that is not float).
Status CheckObservable(const Graph& graph, const std::vector<std::string>& tensors);

/// Puts an observer in the path of every tensor: whatever read the tensor reads what the observer passes on.
void InsertObservers(Model& model, const std::vector<std::string>& tensors);

/// Hangs an observer on the side of every tensor, as one more reader: the runtime's optimizer then has to keep the
/// tensor, and whatever it does to names, nodes and layouts, the observer's input is the tensor.
void AddMarkers(Model& model, const std::vector<std::string>& tensors);

/// Whether some marker's tensor exists in blocked layout, so that ReplaceMarkers needs to know the block.
bool HasBlockedMarker(const Model& model);

/// Takes the markers out of a model that the runtime has optimized and puts observers in the path of their tensors
/// instead: of the blocked form where the plain one was made for the marker only.
/// Errors: kInternal when a marker is missing.
Result<std::vector<ObserverPlace>> ReplaceMarkers(Model& model, size_t count, int64_t block);

}  // namespace preon
