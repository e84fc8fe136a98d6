#include <algorithm>

#include "ir/model_io.h"
#include "runtime/channel_block.h"
#include "runtime/observer_graph.h"
#include "runtime/optimizer_config.h"
#include "runtime/served/served_session.h"

namespace preon {

Result<PackedModel> PackForServing(const Model& model, const std::vector<std::string>& tensors, bool optimize) {
  PREON_RETURN_IF_ERROR(CheckObservable(model.graph, tensors));
  const bool in_branches = std::ranges::any_of(tensors, [&](const std::string& tensor) {
    const Node* producer = model.graph.Producer(tensor);
    return producer != nullptr && producer->IsInBranch();
  });
  PackedModel packed{.tensors = tensors.size(),
                     .observers = optimize && !in_branches ? PackedObservers::kOnTheSide : PackedObservers::kInPath,
                     .weights_beside = PutWeightsBeside(model.graph),
                     .optimize = optimize};
  Model observed = model;
  if (packed.observers == PackedObservers::kOnTheSide) {
    AddMarkers(observed, tensors);
  } else {
    InsertObservers(observed, tensors);
    PREON_RETURN_IF_ERROR(observed.graph.SortTopologically());
  }
  PREON_ASSIGN_OR_RETURN(packed.model, SerializeModel(observed));
  PREON_ASSIGN_OR_RETURN(packed.block_model, SerializeModel(ChannelBlockModel()));
  return packed;
}

}  // namespace preon
