#include "quantize/plan/alignment.h"

#include <algorithm>
#include <array>

namespace preon {
namespace {

constexpr std::array<std::string_view, 1> kConcats = {"Concat"}, kPads = {"Pad"}, kSlices = {"Slice"},
                                          kTransposes = {"Transpose"}, kReshapes = {"Reshape"};

constexpr Alignment kAlignments[] = {{&AlignOptions::concat, kConcats, AlignDirection::kInputsTakeOutput},
                                     {&AlignOptions::pool, kAlignedPools, AlignDirection::kOutputTakesInput},
                                     {&AlignOptions::pad, kPads, AlignDirection::kInputTakesOutput},
                                     {&AlignOptions::slice, kSlices, AlignDirection::kOutputTakesInput},
                                     {&AlignOptions::transpose, kTransposes, AlignDirection::kInputTakesOutput},
                                     {&AlignOptions::reshape, kReshapes, AlignDirection::kInputTakesOutput}};

}  // namespace

bool Alignment::Concerns(const Node& node) const {
  return std::ranges::any_of(op_types, [&](std::string_view type) { return node.Is(type); });
}

std::span<const Alignment> Alignments() { return kAlignments; }

}  // namespace preon
