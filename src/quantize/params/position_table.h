// Positions of an NPU's nodes and the shifts that follow from them: what a report shows, and what tests hold against
// the written model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace preon {

/// NpuShift::name of operators that need one position for all.
inline constexpr std::string_view kAlignShift = "align";
/// Of the input of the DPU's HardSigmoid.
inline constexpr std::string_view kHardSigmoidInput = "hard_sigmoid input";

/// A difference of positions by which the hardware shifts, and its limits.
struct NpuShift {
  std::string_view name;  ///< of PositionRule
  int value = 0, lowest = 0, highest = 0;

  bool inside() const { return value >= lowest && value <= highest; }
};

/// Where a position may be.
struct PositionBounds {
  int lowest = 0, highest = 0;
};

/// Positions of one node: a scale is 2^-position. Nothing where there are no codes.
struct NodePositions {
  std::vector<std::optional<int>> inputs;  ///< of activations
  std::optional<int> weight, bias, output;
  std::vector<NpuShift> shifts;
};

struct PositionRow {
  std::string node, op;
  std::string bias;  ///< name of the constant
  NodePositions before, after;
};

struct PositionTable {
  std::vector<PositionRow> rows;  ///< nodes with a shift, in graph order
  int64_t rounds = 0;             ///< until nothing changed, or that there were
  bool moved = false;
  std::vector<std::string> cycle;  ///< nodes whose positions come again and again; empty = there is none
  /// "node: shift V outside LOW..HIGH", of shifts that are to be kept; nothing where all are inside
  std::vector<std::string> violations;
};

}  // namespace preon
