#include "passes/support/no_op.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "passes/support/match.h"

namespace preon {
namespace {

using Rule = std::optional<size_t> (*)(const Graph&, const Node&);

std::optional<size_t> First(bool condition) { return condition ? std::optional<size_t>(0) : std::nullopt; }

std::optional<size_t> Always(const Graph&, const Node&) { return 0; }

std::optional<size_t> OneInput(const Graph&, const Node& node) { return First(node.inputs().size() == 1); }

// The output's static shape is the input's.
bool KeepsShape(const Graph& graph, const Node& node) {
  const std::optional<Shape> before = graph.ShapeOf(node.input(0)), after = graph.ShapeOf(node.output());
  return before.has_value() && IsStatic(*before) && before == after;
}

std::optional<size_t> SameShape(const Graph& graph, const Node& node) { return First(KeepsShape(graph, node)); }

std::optional<size_t> Dropout(const Graph& graph, const Node& node) {
  if (graph.UseCount(node.output(1)) > 0) return std::nullopt;  // the mask
  if (node.input(2).empty()) return 0;
  const Tensor* training = Constant(graph, node.input(2));
  return First(training != nullptr && training->type() == DataType::kBool && training->count() == 1 &&
               training->bytes()[0] == std::byte{0});
}

std::optional<size_t> Cast(const Graph& graph, const Node& node) {
  return First(static_cast<int64_t>(graph.TypeOf(node.input(0))) == node.Int("to", 0));
}

std::optional<size_t> Transpose(const Graph& graph, const Node& node) {
  const std::vector<int64_t> perm = node.Ints("perm");
  if (perm.empty()) {  // reverses the dimensions
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    return First(shape.has_value() && shape->size() < 2);
  }
  std::vector<int64_t> identity(perm.size());
  std::iota(identity.begin(), identity.end(), 0);
  return First(perm == identity);
}

// Each wanted dimension is the one that is there; one may be unknown and -1.
std::optional<size_t> Reshape(const Graph& graph, const Node& node) {
  if (KeepsShape(graph, node)) return 0;
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  const std::optional<std::vector<int64_t>> wanted = ConstantInts(graph, node.input(1));
  if (!shape.has_value() || !wanted.has_value() || shape->size() != wanted->size() || node.Int("allowzero", 0) != 0) {
    return std::nullopt;
  }
  int64_t inferred = 0;
  for (size_t dim = 0; dim < shape->size(); ++dim) {
    if ((*wanted)[dim] == -1)
      ++inferred;
    else if ((*wanted)[dim] != 0 && (*wanted)[dim] != (*shape)[dim])
      return std::nullopt;
  }
  return First(inferred <= 1);
}

std::optional<size_t> Pad(const Graph& graph, const Node& node) {
  const std::optional<std::vector<int64_t>> pads = IntsOf(graph, node, 1, "pads");
  return First(pads.has_value() && std::all_of(pads->begin(), pads->end(), [](int64_t pad) { return pad == 0; }));
}

// From 0, in steps of 1, past the end of every dimension it names.
std::optional<size_t> Slice(const Graph& graph, const Node& node) {
  const std::optional<std::vector<int64_t>> starts = IntsOf(graph, node, 1, "starts"),
                                            ends = IntsOf(graph, node, 2, "ends");
  if (!starts.has_value() || !ends.has_value()) return std::nullopt;
  if (!node.input(4).empty()) {
    const std::optional<std::vector<int64_t>> steps = ConstantInts(graph, node.input(4));
    if (!steps.has_value() || std::any_of(steps->begin(), steps->end(), [](int64_t step) { return step != 1; }))
      return std::nullopt;
  }
  // No dimension comes near this; exporters write INT32_MAX, INT64_MAX or 10^9 for "to the end".
  constexpr int64_t kPastAnyEnd = 1'000'000'000;
  return First(std::all_of(starts->begin(), starts->end(), [](int64_t start) { return start == 0; }) &&
               std::all_of(ends->begin(), ends->end(), [](int64_t end) { return end >= kPastAnyEnd; }));
}

std::optional<size_t> Resize(const Graph& graph, const Node& node) {
  const Tensor* scales = Constant(graph, node.input(node.inputs().size() == 2 ? 1 : 2));  // opset 10: (x, scales)
  if (scales == nullptr || scales->type() != DataType::kFloat || scales->count() == 0) return std::nullopt;
  if (node.String("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") return std::nullopt;
  const std::span<const float> values = scales->floats();
  return First(std::all_of(values.begin(), values.end(), [](float scale) { return scale == 1; }));
}

// x + 0, x * 1 and their like; the constant must not add dimensions.
std::optional<size_t> Neutral(const Graph& graph, const Node& node, double neutral, bool commutes) {
  for (size_t data = 0; data < (commutes ? 2u : 1u); ++data) {
    if (!IsScalar(graph, node.input(1 - data), neutral, 0)) continue;
    const std::optional<Shape> shape = graph.ShapeOf(node.input(data));
    if (shape.has_value() && graph.Initializer(node.input(1 - data))->shape().size() <= shape->size()) return data;
  }
  return std::nullopt;
}

const std::unordered_map<std::string_view, Rule>& Rules() {
  static const std::unordered_map<std::string_view, Rule> rules = {
      {"Identity", Always},
      {"Dropout", Dropout},
      {"Cast", Cast},
      {"Transpose", Transpose},
      {"Concat", OneInput},
      {"Sum", OneInput},
      {"Max", OneInput},
      {"Min", OneInput},
      {"Mean", OneInput},
      {"Reshape", Reshape},
      {"Flatten", SameShape},
      {"Expand", SameShape},
      {"Squeeze", SameShape},
      {"Tile", SameShape},
      {"Pad", Pad},
      {"Slice", Slice},
      {"Resize", Resize},
      {"Add", [](const Graph& graph, const Node& node) { return Neutral(graph, node, 0, true); }},
      {"Sub", [](const Graph& graph, const Node& node) { return Neutral(graph, node, 0, false); }},
      {"Mul", [](const Graph& graph, const Node& node) { return Neutral(graph, node, 1, true); }},
      {"Div", [](const Graph& graph, const Node& node) { return Neutral(graph, node, 1, false); }},
  };
  return rules;
}

}  // namespace

std::optional<size_t> NoOpInput(const Graph& graph, const Node& node) {
  const auto rule = node.domain.empty() ? Rules().find(node.op_type) : Rules().end();
  return rule == Rules().end() ? std::nullopt : rule->second(graph, node);
}

}  // namespace preon
