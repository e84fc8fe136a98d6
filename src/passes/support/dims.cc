#include "passes/support/dims.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/text.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"

namespace preon {
namespace {

using Elements = std::vector<DimElement>;

// Every dimension of the output is that of input 0.
constexpr std::array kKeepAll = {"Abs",
                                 "BatchNormalization",
                                 "Cast",
                                 "Clip",
                                 "DequantizeLinear",
                                 "Dropout",
                                 "Elu",
                                 "Erf",
                                 "Exp",
                                 "Gelu",
                                 "HardSigmoid",
                                 "HardSwish",
                                 "Identity",
                                 "LeakyRelu",
                                 "InstanceNormalization",
                                 "Log",
                                 "LayerNormalization",
                                 "LogSoftmax",
                                 "LpNormalization",
                                 "Neg",
                                 "QuantizeLinear",
                                 "Reciprocal",
                                 "Relu",
                                 "Sigmoid",
                                 "Softmax",
                                 "Softplus",
                                 "Sqrt",
                                 "Tanh"};
// The first one is.
constexpr std::array kKeepFirst = {"AveragePool", "Conv", "ConvTranspose", "GlobalAveragePool", "MaxPool"};
constexpr std::array kBroadcast = {"Add", "Div", "Max", "Min", "Mul", "Pow", "Sub", "Where"};

int64_t FromEnd(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

Elements Cut(const Elements& elements, int64_t start, int64_t end) {
  const auto size = static_cast<int64_t>(elements.size());
  start = std::clamp<int64_t>(FromEnd(start, size), 0, size);
  end = std::clamp<int64_t>(FromEnd(end, size), start, size);
  return Elements(elements.begin() + start, elements.begin() + end);
}

std::optional<Elements> OfShape(const Graph& graph, const Node& node) {
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  if (!shape) return std::nullopt;
  Elements elements;
  for (size_t axis = 0; axis < shape->size(); ++axis) elements.push_back({(*shape)[axis], Dim{node.input(0), axis}});
  return Cut(elements, node.Int("start", 0), node.Int("end", std::numeric_limits<int64_t>::max()));
}

std::optional<Elements> OfGather(const Graph& graph, const Node& node) {
  const std::optional<Elements> elements = DimElementsOf(graph, node.input(0));
  const std::optional<std::vector<int64_t>> indices = ConstantInts(graph, node.input(1));
  if (!elements || !indices || FromEnd(node.Int("axis", 0), 1) != 0) return std::nullopt;
  const auto size = static_cast<int64_t>(elements->size());
  Elements chosen;
  for (const int64_t index : *indices) {
    const int64_t place = FromEnd(index, size);
    if (place < 0 || place >= size) return std::nullopt;
    chosen.push_back((*elements)[static_cast<size_t>(place)]);
  }
  return chosen;
}

std::optional<Elements> OfSlice(const Graph& graph, const Node& node) {
  const std::optional<Elements> elements = DimElementsOf(graph, node.input(0));
  const std::optional<std::vector<int64_t>> starts = IntsOf(graph, node, 1, "starts"),
                                            ends = IntsOf(graph, node, 2, "ends");
  const std::optional<std::vector<int64_t>> steps = ConstantInts(graph, node.input(4));
  if (!elements || !starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  if (!node.input(4).empty() && steps != std::vector<int64_t>{1}) return std::nullopt;
  return Cut(*elements, starts->front(), ends->front());
}

std::optional<Elements> OfConcat(const Graph& graph, const Node& node) {
  Elements all;
  for (const std::string& input : node.inputs()) {
    const std::optional<Elements> part = DimElementsOf(graph, input);
    if (!part) return std::nullopt;
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

// Follows operators that keep dimensions; what was found once is not looked for again.
class OriginSearch {
 public:
  explicit OriginSearch(const Graph& graph) : graph_(graph) {}

  Dim Find(const Dim& dim) {
    const auto key = std::pair(dim.tensor, dim.axis);
    if (const auto known = found_.find(key); known != found_.end()) return known->second;
    Dim origin = dim;
    if (found_.size() < kMostSteps) {
      found_.emplace(key, dim);  // counts as a step
      if (const std::optional<Dim> before = Before(dim)) origin = Find(*before);
    }
    found_[key] = origin;
    return origin;
  }

 private:
  static constexpr size_t kMostSteps = 500;  // deep enough for a few blocks, and not too deep for the stack

  std::optional<size_t> Rank(const std::string& tensor) const {
    const std::optional<Shape> shape = graph_.ShapeOf(tensor);
    return shape ? std::optional(shape->size()) : std::nullopt;
  }

  // A dimension of an input of the producer that equals this one.
  std::optional<Dim> Before(const Dim& dim) {
    const Node* const node = graph_.Producer(dim.tensor);
    if (node == nullptr || !node->domain.empty() || node->output() != dim.tensor) return std::nullopt;
    const Dim same{node->input(0), dim.axis};
    if (Contains(kKeepAll, node->op_type) || (dim.axis == 0 && Contains(kKeepFirst, node->op_type))) return same;
    if (node->Is("Transpose")) {
      const auto perm = PermOf(graph_, *node);
      if (!perm) return std::nullopt;
      return Dim{node->input(0), static_cast<size_t>((*perm)[dim.axis])};
    }
    if (node->Is("Unsqueeze")) return BeforeUnsqueeze(*node, dim);
    if (node->Is("Squeeze")) return BeforeSqueeze(*node, dim);
    if (node->Is("Gemm")) return dim.axis == 0 && node->Int("transA", 0) == 0 ? std::optional(same) : std::nullopt;
    if (node->Is("MatMul")) return BeforeMatMul(*node, dim);
    if (node->Is("Reshape")) return BeforeReshape(*node, same);
    if (Contains(kBroadcast, node->op_type)) return BeforeBroadcast(*node, dim, 0);
    return std::nullopt;
  }

  // Which of `rank` axes are listed; nullopt where that is computed.
  std::optional<std::vector<bool>> ListedAxes(const Node& node, size_t rank) const {
    const std::optional<std::vector<int64_t>> axes = IntsOf(graph_, node, 1, "axes");
    if (!axes || axes->empty()) return std::nullopt;
    std::vector<bool> listed(rank);
    for (const int64_t axis : *axes) {
      const int64_t place = FromEnd(axis, static_cast<int64_t>(rank));
      if (place < 0 || place >= static_cast<int64_t>(rank)) return std::nullopt;
      listed[static_cast<size_t>(place)] = true;
    }
    return listed;
  }

  std::optional<Dim> BeforeUnsqueeze(const Node& node, const Dim& dim) const {
    const std::optional<size_t> rank = Rank(dim.tensor);
    const std::optional<std::vector<bool>> added = rank ? ListedAxes(node, *rank) : std::nullopt;
    if (!added || dim.axis >= *rank || (*added)[dim.axis]) return std::nullopt;
    const auto before = std::count(added->begin(), added->begin() + static_cast<ptrdiff_t>(dim.axis), true);
    return Dim{node.input(0), dim.axis - static_cast<size_t>(before)};
  }

  std::optional<Dim> BeforeSqueeze(const Node& node, const Dim& dim) const {
    const std::optional<size_t> rank = Rank(node.input(0));
    const std::optional<std::vector<bool>> removed = rank ? ListedAxes(node, *rank) : std::nullopt;
    if (!removed) return std::nullopt;
    size_t left = dim.axis;
    for (size_t axis = 0; axis < *rank; ++axis) {
      if ((*removed)[axis]) continue;
      if (left-- == 0) return Dim{node.input(0), axis};
    }
    return std::nullopt;
  }

  std::optional<Dim> BeforeMatMul(const Node& node, const Dim& dim) {
    const std::optional<size_t> left = Rank(node.input(0)), right = Rank(node.input(1));
    if (!left || !right || *left < 2 || *right < 2) return std::nullopt;
    const size_t rank = std::max(*left, *right);
    if (dim.axis + 1 == rank) return Dim{node.input(1), *right - 1};
    if (dim.axis + 2 == rank) return Dim{node.input(0), *left - 2};
    return BeforeBroadcast(node, dim, 2);
  }

  // The last `apart` dimensions are not broadcast.
  std::optional<Dim> BeforeBroadcast(const Node& node, const Dim& dim, size_t apart) {
    std::optional<size_t> rank = 0;
    for (const std::string& input : node.inputs()) {
      const std::optional<size_t> own = Rank(input);
      rank = rank && own ? std::optional(std::max(*rank, *own)) : std::nullopt;
    }
    if (!rank || dim.axis + apart >= *rank) return std::nullopt;
    std::optional<Dim> found;
    for (const std::string& input : node.inputs()) {
      const Shape shape = *graph_.ShapeOf(input);
      if (dim.axis + shape.size() < *rank) continue;
      const size_t axis = dim.axis + shape.size() - *rank;
      if (shape[axis] == 1) continue;
      const Dim origin = Find({input, axis});
      if (found && *found != origin) return std::nullopt;
      found = origin;
    }
    return found;
  }

  std::optional<Dim> BeforeReshape(const Node& node, const Dim& same) const {
    const std::optional<Elements> target = DimElementsOf(graph_, node.input(1));
    if (!target || same.axis >= target->size() || node.Int("allowzero", 0) != 0) return std::nullopt;
    const DimElement& element = (*target)[same.axis];
    return element.value == 0 && !element.from ? std::optional(same) : element.from;
  }

  const Graph& graph_;
  std::map<std::pair<std::string, size_t>, Dim> found_;
};

}  // namespace

std::optional<std::vector<DimElement>> DimElementsOf(const Graph& graph, std::string_view tensor) {
  if (Constant(graph, tensor) != nullptr) {
    const std::optional<std::vector<int64_t>> values = ConstantInts(graph, tensor);
    if (!values) return std::nullopt;
    Elements elements;
    for (const int64_t value : *values) elements.push_back({.value = value});
    return elements;
  }
  const Node* const node = graph.Producer(tensor);
  if (node == nullptr) return std::nullopt;
  if (node->Is("Shape")) return OfShape(graph, *node);
  if (node->Is("Gather")) return OfGather(graph, *node);
  if (node->Is("Slice")) return OfSlice(graph, *node);
  if (node->Is("Concat")) return OfConcat(graph, *node);
  if (node->Is("Unsqueeze")) {
    std::optional<Elements> elements = DimElementsOf(graph, node->input(0));
    return elements && elements->size() == 1 ? elements : std::nullopt;
  }
  return std::nullopt;
}

Dim OriginOf(const Graph& graph, const Dim& dim) { return OriginSearch(graph).Find(dim); }

}  // namespace preon
