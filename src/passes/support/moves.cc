#include "passes/support/moves.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "passes/support/match.h"

namespace preon {
namespace {

std::optional<Moved> BehindTranspose(const Graph& graph, const Node& node, const Moved& input) {
  if (!input.axis) return input;
  const std::optional<std::vector<int64_t>> perm = PermOf(graph, node);
  if (!perm || perm->size() != input.rank) return std::nullopt;
  return Moved{input.rank, std::ranges::find(*perm, static_cast<int64_t>(*input.axis)) - perm->begin()};
}

// Values in front of `axis`, or from it on; kDynamicDim where unknown.
int64_t Before(const Shape& shape, size_t axis) {
  const Shape part(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return IsStatic(part) ? ElementCount(part) : kDynamicDim;
}
int64_t Behind(const Shape& shape, size_t axis) {
  const Shape part(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end());
  return IsStatic(part) ? ElementCount(part) : kDynamicDim;
}

// The order of elements stays: a dimension lies where it was when it has as many elements before or behind it.
std::optional<Moved> BehindReshape(const Graph& graph, const Node& node, const Moved& input) {
  const std::optional<Shape> from = graph.ShapeOf(node.input(0)), to = graph.ShapeOf(node.output());
  if (!from || !to || from->size() != input.rank) return std::nullopt;
  const auto same = [](int64_t a, int64_t b) { return a == b && a != kDynamicDim; };
  Moved moved{to->size(), std::nullopt};
  for (size_t axis = 0; input.axis && axis < to->size(); ++axis) {
    if (!same((*from)[*input.axis], (*to)[axis])) continue;
    if (same(Before(*from, *input.axis), Before(*to, axis)) || same(Behind(*from, *input.axis), Behind(*to, axis))) {
      moved.axis = axis;
      break;
    }
  }
  return moved;
}

std::optional<Moved> BehindPad(const Graph& graph, const Node& node, const Moved& input) {
  const std::optional<std::vector<int64_t>> pads = IntsOf(graph, node, 1, "pads");
  if (!pads || pads->size() != 2 * input.rank || !node.input(3).empty()) return std::nullopt;
  if (input.axis && ((*pads)[*input.axis] != 0 || (*pads)[*input.axis + input.rank] != 0)) return std::nullopt;
  Moved moved = input;
  moved.adds_zeros = node.String("mode", "constant") == "constant";
  if (moved.adds_zeros && !PadsWithZero(graph, node)) return std::nullopt;
  return moved;
}

}  // namespace

bool IsMove(const Node& node) {
  constexpr std::array kMoves = {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Pad"};
  return std::ranges::any_of(kMoves, [&](const char* type) { return node.Is(type); });
}

std::optional<std::vector<int64_t>> PermOf(const Graph& graph, const Node& transpose) {
  std::vector<int64_t> perm = transpose.Ints("perm");
  if (perm.empty()) {
    const std::optional<Shape> shape = graph.ShapeOf(transpose.input(0));
    if (!shape) return std::nullopt;
    for (size_t dim = shape->size(); dim > 0; --dim) perm.push_back(static_cast<int64_t>(dim) - 1);
  }
  std::vector<int64_t> dims(perm.size());
  std::iota(dims.begin(), dims.end(), 0);
  return std::ranges::is_permutation(perm, dims) ? std::optional(perm) : std::nullopt;
}

bool PadsWithZero(const Graph& graph, const Node& pad) {
  if (pad.String("mode", "constant") != "constant" || pad.Float("value", 0) != 0) return false;
  return pad.input(2).empty() || IsScalar(graph, pad.input(2), 0, 0);
}

std::optional<Moved> MoveChannels(const Graph& graph, const Node& node, const Moved& input) {
  if (node.Is("Transpose")) return BehindTranspose(graph, node, input);
  return node.Is("Pad") ? BehindPad(graph, node, input) : BehindReshape(graph, node, input);
}

}  // namespace preon
