#include "passes/support/initializer_role.h"

#include <algorithm>

namespace preon {
namespace {

// By the operator alone.
InitializerRole RoleOf(const Use& use) {
  const Node& node = *use.node;
  if (use.captured || use.input == 0) return {};
  const bool conv = node.Is("Conv"), conv_transpose = node.Is("ConvTranspose"), gemm = node.Is("Gemm");
  if (use.input == 2 && (conv || conv_transpose || gemm)) return {.kind = InitializerRole::kBias, .node = node.name};
  if (use.input != 1) return {};
  if (conv) return {.kind = InitializerRole::kWeight, .axis = 0};
  if (conv_transpose) return {.kind = InitializerRole::kWeight, .axis = 1};
  if (gemm) return {.kind = InitializerRole::kWeight, .axis = node.Int("transB", 0) != 0 ? 0 : 1};
  if (node.Is("MatMul")) return {.kind = InitializerRole::kWeight, .axis = -1};
  return {};
}

}  // namespace

InitializerRole RoleOf(const Use& use, std::string_view tensor, const NodeSettings& settings_of) {
  InitializerRole role = RoleOf(use);
  if (settings_of && !use.captured) role.settings = settings_of(*use.node, tensor);
  return role;
}

std::optional<InitializerRole> SingleRole(const Graph& graph, std::string_view tensor,
                                          const NodeSettings& settings_of) {
  const std::vector<Use> uses = graph.Uses(tensor);
  if (uses.empty()) return InitializerRole{};
  const InitializerRole role = RoleOf(uses[0], tensor, settings_of);
  if (std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return RoleOf(use, tensor, settings_of) == role; }))
    return role;
  return std::nullopt;
}

}  // namespace preon
