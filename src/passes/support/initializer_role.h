// InitializerRole: what a reader takes an initializer for. Readers in one role can share its codes; others cannot.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "passes/support/node_settings.h"

namespace preon {

struct InitializerRole {
  enum Kind {
    kValue,   ///< plain operand: shape, index, scalar, table, addend
    kWeight,  ///< weight of a Conv, ConvTranspose, Gemm or MatMul with its output channels along `axis`
    kBias,    ///< bias of one node: its scale is that node's own, so nobody shares it
  };
  Kind kind = kValue;
  int64_t axis = 0;      ///< for kWeight; MatMul counts from the end (-1), since its weight may have any rank
  std::string node;      ///< for kBias
  std::string settings;  ///< the user's: NodeSettings

  auto operator<=>(const InitializerRole&) const = default;
};

/// The role in which `use` reads the tensor.
InitializerRole RoleOf(const Use& use, std::string_view tensor, const NodeSettings& settings_of);
/// The role of all its uses; kValue without uses; nullopt where they differ.
std::optional<InitializerRole> SingleRole(const Graph& graph, std::string_view tensor, const NodeSettings& settings_of);

}  // namespace preon
