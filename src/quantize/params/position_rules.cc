// The limits are those that AMD publishes with Quark: quark/onnx/postprocess/refinement/refine.py.
#include "quantize/params/position_rules.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.h"
#include "quantize/plan/alignment.h"

namespace preon {
namespace {

using Positions = std::vector<int>;
using Shifts = std::vector<NpuShift>;

constexpr int kMostRead = 7, kLeastWriteOfAdd = -7, kMostWriteOfAdd = 25, kMostWriteOfMul = 32, kMostCut = 16,
              kMostBias = 15, kMostSwish = 15, kMostHardSigmoidInput = 15, kLeastHardSigmoidOutput = 7,
              kHardSigmoidBits = 14, kMostHardSigmoid = 31;
// A bias of 8 bits is shifted in an accumulator of 24.
constexpr int kAccumulatorBits = 24, kBiasBits = 8;
constexpr int kNoLimit = 127;

int At(const Positions& positions, const PositionIndex& index) { return positions[index.value()]; }

Positions Inputs(const PositionedNode& node, const Positions& positions) {
  Positions inputs;
  for (const PositionIndex& input : node.at.inputs) inputs.push_back(At(positions, input));
  return inputs;
}
int Least(const PositionedNode& node, const Positions& positions) { return std::ranges::min(Inputs(node, positions)); }
int Sum(const PositionedNode& node, const Positions& positions) {
  const Positions inputs = Inputs(node, positions);
  return std::reduce(inputs.begin(), inputs.end());
}

// By how much the first shift has to grow to be inside.
int Missing(const Shifts& shifts) {
  if (shifts.empty()) return 0;
  return std::clamp(shifts[0].value, shifts[0].lowest, shifts[0].highest) - shifts[0].value;
}

template <const auto& kTypes>
bool IsOneOf(const PositionedNode& node) {
  return Contains(kTypes, node.node->op_type);
}
constexpr std::array<std::string_view, 1> kConcat = {"Concat"}, kPad = {"Pad"}, kSlice = {"Slice"};
constexpr std::array<std::string_view, 2> kSums = {"Add", "Sub"}, kWriters = {"Add", "Mul"},
                                          kKernels = {"Conv", "Gemm"};

// --- One position for all: the coarsest, so that nothing is clipped that was not --------------------------------
Shifts MeasureAlign(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  Positions all = Inputs(node, positions);
  all.push_back(At(positions, node.at.output));
  const auto [least, most] = std::ranges::minmax(all);
  return {{kAlignShift, most - least, 0, 0}};
}
void CorrectAlign(const PositionedNode& node, Positions& positions) {
  const int least = std::min(Least(node, positions), At(positions, node.at.output));
  for (const PositionIndex& input : node.at.inputs) positions[*input] = least;
  positions[*node.at.output] = least;
}

// --- Sums read operands of different positions ------------------------------------------------------------------
Shifts MeasureRead(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasInputs()) return {};
  const auto [least, most] = std::ranges::minmax(Inputs(node, positions));
  return {{"read", most - least, 0, kMostRead}};
}
void CorrectRead(const PositionedNode& node, Positions& positions) {
  const int most = Least(node, positions) + kMostRead;
  for (const PositionIndex& input : node.at.inputs) positions[*input] = std::min(positions[*input], most);
}

// --- Results are shifted to their own position ------------------------------------------------------------------
Shifts MeasureWrite(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  const int output = At(positions, node.at.output);
  if (node.node->Is("Add")) return {{"write", Least(node, positions) - output, kLeastWriteOfAdd, kMostWriteOfAdd}};
  return {{"write", Sum(node, positions) - output, 0, kMostWriteOfMul}};
}
void CorrectWrite(const PositionedNode& node, Positions& positions) {
  positions[*node.at.output] -= Missing(MeasureWrite(node, positions));
}

Shifts MeasureSwish(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  return {{"swish", Sum(node, positions) - At(positions, node.at.output), 0, kMostSwish}};
}
void CorrectSwish(const PositionedNode& node, Positions& positions) {
  positions[*node.at.output] -= Missing(MeasureSwish(node, positions));
}

// --- Products ---------------------------------------------------------------------------------------------------
bool HasWeight(const PositionedNode& node) { return IsOneOf<kKernels>(node) && node.at.weight.has_value(); }
bool HasBias(const PositionedNode& node) { return HasWeight(node) && node.at.bias.has_value(); }

Shifts MeasureCut(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  return {{"cut", At(positions, node.at.weight) + At(positions, node.at.inputs[0]) - At(positions, node.at.output), 0,
           kMostCut}};
}
void CorrectCut(const PositionedNode& node, Positions& positions) {
  positions[*node.at.weight] += Missing(MeasureCut(node, positions));
}

Shifts MeasureBias(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  const int sum = At(positions, node.at.weight) + At(positions, node.at.inputs[0]);
  const int cut = sum - At(positions, node.at.output);
  const int lowest = node.is.feeds_leaky_relu ? 0 : std::min(0, kBiasBits + cut - kAccumulatorBits);
  return {{"bias", sum - At(positions, node.at.bias), lowest, kMostBias}};
}
// A bias that its codes no longer hold is far off. Where its shift is too long, weights are so small beside it that
// they can do with fewer digits instead.
void CorrectBias(const PositionedNode& node, Positions& positions) {
  int& bias = positions[*node.at.bias];
  const int before = bias;
  bias -= Missing(MeasureBias(node, positions));
  if (!node.is.finest_bias || bias <= before) return;
  const int cut = At(positions, node.at.weight) + At(positions, node.at.inputs[0]) - At(positions, node.at.output);
  const int saturating = std::clamp(bias - std::max(before, *node.is.finest_bias), 0, std::max(cut, 0));
  bias -= saturating;
  positions[*node.at.weight] -= saturating;
}

// --- HardSigmoid: x · 2731 / 2^14 + 1/2 ---------------------------------------------------------------------------
bool IsHardSigmoid(const PositionedNode& node) { return node.is.hard_sigmoid; }

Shifts MeasureHardSigmoid(const PositionedNode& node, const Positions& positions) {
  if (!node.at.HasAll()) return {};
  const int input = At(positions, node.at.inputs[0]), output = At(positions, node.at.output);
  return {{kHardSigmoidInput, input, 0, kMostHardSigmoidInput},
          {"hard_sigmoid output", output, kLeastHardSigmoidOutput, kNoLimit},
          {"hard_sigmoid", kHardSigmoidBits + input - output, 0, kMostHardSigmoid}};
}
void CorrectHardSigmoid(const PositionedNode& node, Positions& positions) {
  int& input = positions[*node.at.inputs[0]];
  int& output = positions[*node.at.output];
  input = std::clamp(input, 0, kMostHardSigmoidInput);
  output = std::clamp(output, kLeastHardSigmoidOutput, kHardSigmoidBits + input);
}

bool IsSwish(const PositionedNode& node) { return node.is.swish; }

constexpr PositionRule kRules[] = {
    {"AlignConcat", &PositionLimits::concat, IsOneOf<kConcat>, MeasureAlign, CorrectAlign},
    {"AlignPool", &PositionLimits::pool, IsOneOf<kAlignedPools>, MeasureAlign, CorrectAlign},
    {"AlignPad", &PositionLimits::pad, IsOneOf<kPad>, MeasureAlign, CorrectAlign},
    {"AlignSlice", &PositionLimits::slice, IsOneOf<kSlice>, MeasureAlign, CorrectAlign},
    {"AdjustShiftRead", &PositionLimits::read, IsOneOf<kSums>, MeasureRead, CorrectRead},
    {"AdjustShiftWrite", &PositionLimits::write, IsOneOf<kWriters>, MeasureWrite, CorrectWrite},
    {"AdjustShiftCut", &PositionLimits::cut, HasWeight, MeasureCut, CorrectCut},
    {"AdjustShiftBias", &PositionLimits::bias, HasBias, MeasureBias, CorrectBias},
    {"AdjustHardSigmoid", &PositionLimits::hard_sigmoid, IsHardSigmoid, MeasureHardSigmoid, CorrectHardSigmoid},
    {"AdjustShiftSwish", &PositionLimits::swish, IsSwish, MeasureSwish, CorrectSwish}};

}  // namespace

std::span<const PositionRule> PositionRules() { return kRules; }

std::optional<PositionBounds> BoundsOfBias(const PositionedNode& node, const std::vector<int>& positions) {
  if (!HasBias(node)) return std::nullopt;
  const Shifts shifts = MeasureBias(node, positions);
  if (shifts.empty()) return std::nullopt;
  const int sum = shifts[0].value + At(positions, node.at.bias);
  return PositionBounds{.lowest = sum - shifts[0].highest, .highest = sum - shifts[0].lowest};
}

}  // namespace preon
