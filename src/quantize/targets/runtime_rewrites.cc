#include "quantize/targets/runtime_rewrites.h"

#include <array>

#include "base/text.h"

namespace preon {
namespace {

// Of the runtime's basic level what changes the pairs of most models; its other fusions are not made.
constexpr std::array<std::string_view, 3> kBasicLevel = {"fold_batch_norm", "fold_constants", "fold_shapes"};

}  // namespace

bool RuntimeRewrites(std::string_view pass, bool prepared) { return prepared && Contains(kBasicLevel, pass); }

// It folds BatchNormalization into Conv alone.
bool RuntimeLeaves(std::string_view pass, const Model& model, const Node& node) {
  const Node* producer = model.graph.Producer(node.input(0));
  return pass == "fold_batch_norm" && (producer == nullptr || !producer->Is("Conv"));
}

}  // namespace preon
