// PositionRule: one limit of the hardware on the positions of a node, and how they are moved into it. A rule is one row
// of position_rules.cc (docs/design/npu.md has the table).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "quantize/params/position_problem.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/npu_options.h"

namespace preon {

struct PositionRule {
  std::string_view key;          ///< of Quark
  bool PositionLimits::*wanted;  ///< is it kept?
  bool (*applies)(const PositionedNode& node);
  /// The shifts that it limits; nothing where a position that they depend on is missing.
  std::vector<NpuShift> (*measure)(const PositionedNode& node, const std::vector<int>& positions);
  /// Where one is outside: moves positions so that it is inside.
  void (*correct)(const PositionedNode& node, std::vector<int>& positions);
};

/// In the order of a round.
std::span<const PositionRule> PositionRules();

/// Positions that keep the bias shift of the node inside its limits; nothing where one of the others is missing.
std::optional<PositionBounds> BoundsOfBias(const PositionedNode& node, const std::vector<int>& positions);

}  // namespace preon
