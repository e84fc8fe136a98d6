// Operators that move values, and which of their scales the others take over (Quark's align_quantize_info).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "ir/graph.h"
#include "quantize/plan/npu_options.h"

namespace preon {

enum class AlignDirection { kInputsTakeOutput, kInputTakesOutput, kOutputTakesInput };

inline constexpr std::array<std::string_view, 3> kAlignedPools = {"MaxPool", "AveragePool", "GlobalAveragePool"};

struct Alignment {
  std::optional<bool> AlignOptions::*wanted;
  std::span<const std::string_view> op_types;
  AlignDirection direction;

  bool Concerns(const Node& node) const;
};

/// In the order in which Quark makes them.
std::span<const Alignment> Alignments();

}  // namespace preon
