#include "passes/support/input_sizes.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "passes/support/dims.h"

namespace preon {
namespace {

constexpr size_t kMostNodes = 500;  // inputs meet their weights early
constexpr std::array kRecurrent = {"GRU", "LSTM", "RNN"};
constexpr std::array kElementwise = {"Add", "Div", "Mul", "Pow", "Sub"};

struct SizedDim {
  Dim dim;
  int64_t size;
};

class NodeDims {
 public:
  NodeDims(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  /// Dimensions of the node's inputs that the shapes of its other inputs fix.
  std::vector<SizedDim> Sized() {
    if (!node_.domain.empty()) return {};
    if (node_.Is("Conv")) {
      Fix(0, 1, Size(1, 1) * node_.Int("group", 1));
    } else if (node_.Is("ConvTranspose")) {
      Fix(0, 1, Size(1, 0));
    } else if (node_.Is("BatchNormalization")) {
      Fix(0, 1, Size(1, 0));
    } else if (Contains(kRecurrent, node_.op_type)) {
      Fix(0, 2, Size(1, 2));
    } else if (node_.Is("Gemm")) {
      const int64_t a = node_.Int("transA", 0) != 0 ? 0 : 1, b = node_.Int("transB", 0) != 0 ? 1 : 0;
      Fix(0, a, Size(1, b));
      Fix(1, b, Size(0, a));
    } else if (node_.Is("MatMul")) {
      Fix(0, -1, Size(1, -2));
      Fix(1, -2, Size(0, -1));
    } else if (Contains(kElementwise, node_.op_type)) {
      FixElementwise(0, 1);
      FixElementwise(1, 0);
    }
    return std::move(sized_);
  }

 private:
  // Axes below 0 count from the end; nothing where there is none.
  std::optional<size_t> Axis(size_t input, int64_t axis) const {
    const std::optional<Shape> shape = graph_.ShapeOf(node_.input(input));
    if (!shape) return std::nullopt;
    const int64_t place = axis < 0 ? axis + static_cast<int64_t>(shape->size()) : axis;
    return place >= 0 && place < static_cast<int64_t>(shape->size()) ? std::optional(static_cast<size_t>(place))
                                                                     : std::nullopt;
  }

  int64_t Size(size_t input, int64_t axis) const {
    const std::optional<size_t> place = Axis(input, axis);
    return place ? (*graph_.ShapeOf(node_.input(input)))[*place] : kDynamicDim;
  }

  void Fix(size_t input, int64_t axis, int64_t size) {
    const std::optional<size_t> place = Axis(input, axis);
    if (place && size > 0) sized_.push_back({{node_.input(input), *place}, size});
  }

  // Sizes of 1 are repeated, others have to be equal.
  void FixElementwise(size_t input, size_t other) {
    for (int64_t axis = -1; Axis(other, axis); --axis) {
      if (const int64_t size = Size(other, axis); size > 1) Fix(input, axis, size);
    }
  }

  const Graph& graph_;
  const Node& node_;
  std::vector<SizedDim> sized_;
};

int64_t CountOpen(const std::vector<TensorSpec>& inputs) {
  int64_t open = 0;
  for (const TensorSpec& input : inputs)
    if (!input.shape.empty()) open += std::count(input.shape.begin() + 1, input.shape.end(), kDynamicDim);
  return open;
}

}  // namespace

void FillInputSizes(const Graph& graph, std::vector<TensorSpec>& inputs) {
  int64_t open = CountOpen(inputs);
  size_t looked_at = 0;
  for (const auto& node : graph.nodes()) {
    if (open == 0 || ++looked_at > kMostNodes) return;
    for (const SizedDim& sized : NodeDims(graph, *node).Sized()) {
      const Dim origin = OriginOf(graph, sized.dim);
      const auto input = std::ranges::find(inputs, origin.tensor, &TensorSpec::name);
      if (input == inputs.end() || origin.axis == 0 || input->shape[origin.axis] != kDynamicDim) continue;
      input->shape[origin.axis] = sized.size;
      --open;
    }
  }
}

}  // namespace preon
