#include "eval/state_loop.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/data_type.h"

namespace preon {
namespace {

// Extents that are not known may be equal, unless both have names and these differ.
bool MayBeEqual(const ValueInfo* a, const ValueInfo* b) {
  if (a == nullptr || b == nullptr || !a->shape || !b->shape) return false;
  if (a->type != b->type || !IsFloatingType(a->type) || a->shape->size() != b->shape->size()) return false;
  const auto name = [](const ValueInfo& info, size_t axis) {
    return axis < info.dim_names.size() ? std::string_view(info.dim_names[axis]) : std::string_view();
  };
  for (size_t axis = 0; axis < a->shape->size(); ++axis) {
    const int64_t x = (*a->shape)[axis], y = (*b->shape)[axis];
    if (x != y && x != kDynamicDim && y != kDynamicDim) return false;
    const std::string_view of_x = name(*a, axis), of_y = name(*b, axis);
    if (!of_x.empty() && !of_y.empty() && of_x != of_y) return false;
  }
  return true;
}

}  // namespace

std::vector<StateLink> FindStateLinks(const Graph& graph) {
  std::vector<StateLink> links;
  if (graph.inputs().size() < 2) return links;
  std::vector<std::string> inputs(graph.inputs().begin() + 1, graph.inputs().end());
  for (size_t i = 1; i < graph.outputs().size(); ++i) {
    const std::string& output = graph.outputs()[i];
    const auto input = std::ranges::find_if(
        inputs, [&](const std::string& name) { return MayBeEqual(graph.Info(name), graph.Info(output)); });
    if (input == inputs.end()) continue;
    links.push_back({*input, output});
    inputs.erase(input);
  }
  return links;
}

ModelOutputs InClosedLoop(std::vector<StateLink> links, ModelOutputs model) {
  auto state = std::make_shared<std::vector<NamedTensor>>();  // by input
  return [links = std::move(links), model = std::move(model),
          state](const Batch& open) -> Result<std::vector<NamedTensor>> {
    Batch batch = open;
    for (NamedTensor& feed : batch.feeds) {
      const auto own = std::ranges::find(*state, feed.name, &NamedTensor::name);
      if (own != state->end() && own->tensor.shape() == feed.tensor.shape()) feed.tensor = own->tensor;
    }
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, model(batch));
    state->clear();
    for (const auto& [input, output] : links) {
      const auto found = std::ranges::find(outputs, output, &NamedTensor::name);
      if (found != outputs.end()) state->push_back({input, found->tensor});
    }
    return outputs;
  };
}

}  // namespace preon
