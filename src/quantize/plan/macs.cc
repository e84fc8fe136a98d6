// Multiply-accumulates of a node, from typical shapes; dimensions that nothing tells count as kUnknownDim.
#include <algorithm>
#include <map>
#include <string>

#include "quantize/plan/macs.h"

namespace preon {
namespace {

// A batch of one sample; unknown lengths (tokens, pixels) as in a typical run. Only ratios between nodes matter.
constexpr double kUnknownDim = 64;

double Product(const Shape& shape, size_t begin, size_t end) {
  double product = 1;
  for (size_t axis = begin; axis < end; ++axis) {
    const bool batch = axis == 0;
    product *= shape[axis] >= 0 ? static_cast<double>(shape[axis]) : batch ? 1 : kUnknownDim;
  }
  return product;
}

// Of a Gemm. Where the typical shape does not tell them, a Reshape has made rows of samples and tokens together.
double RowsOf(const Graph& graph, const Node& node, const Shape& a) {
  if (node.Int("transA", 0) != 0) return Product(a, 1, 2);
  const Node* producer = graph.Producer(node.input(0));
  const bool joins_tokens = a[0] < 0 && producer != nullptr && producer->Is("Reshape");
  return joins_tokens ? kUnknownDim : Product(a, 0, 1);
}

}  // namespace

double NodeMacs(const Graph& graph, const Node& node) {
  const std::optional<Shape> a = graph.TypicalShapeOf(node.input(0));
  const std::optional<Shape> b = graph.TypicalShapeOf(node.input(1));
  const std::optional<Shape> y = graph.TypicalShapeOf(node.output());
  if (!b || b->empty()) return 0;
  if (node.Is("Conv") && y && y->size() == b->size()) {
    return Product(*y, 0, y->size()) * Product(*b, 1, b->size());
  }
  if (node.Is("ConvTranspose") && a && a->size() == b->size()) {
    return Product(*a, 0, a->size()) * Product(*b, 1, b->size());
  }
  if (node.Is("Gemm") && a && a->size() == 2 && b->size() == 2) {
    return RowsOf(graph, node, *a) * static_cast<double>(std::max<int64_t>((*b)[0], 1)) *
           static_cast<double>(std::max<int64_t>((*b)[1], 1));
  }
  if (node.Is("MatMul") && a && !a->empty()) {
    const size_t last = b->size() - 1;
    const double columns = b->size() == 1 ? 1 : (*b)[last] >= 0 ? static_cast<double>((*b)[last]) : kUnknownDim;
    return Product(*a, 0, a->size()) * columns;
  }
  return 0;
}

bool IsRecurrent(const Node& node) { return node.Is("LSTM") || node.Is("GRU") || node.Is("RNN"); }

double RecurrentMacs(const Graph& graph, const Node& node) {
  const std::optional<Shape> x = graph.TypicalShapeOf(node.input(0));
  if (!IsRecurrent(node) || !x || x->empty()) return 0;
  double weights = 0;
  for (const size_t input : {1, 2}) {
    const std::optional<Shape> shape = graph.TypicalShapeOf(node.input(input));
    if (shape) weights += Product(*shape, 0, shape->size());
  }
  return weights * (x->front() >= 0 ? static_cast<double>(x->front()) : kUnknownDim);
}

double EinsumMacs(const Graph& graph, const Node& node) {
  std::string equation = node.Is("Einsum") ? node.String("equation", "") : "";
  std::erase(equation, ' ');
  const std::string operands = equation.substr(0, equation.find("->"));
  if (operands.find('.') != std::string::npos) return 0;
  std::map<char, double> extents;
  size_t input = 0;
  std::optional<Shape> shape = graph.TypicalShapeOf(node.input(0));
  size_t axis = 0;
  for (const char index : operands) {
    if (index == ',') {
      shape = graph.TypicalShapeOf(node.input(++input));
      axis = 0;
      continue;
    }
    if (!shape || axis >= shape->size()) return 0;
    extents.emplace(index, Product(*shape, axis, axis + 1));
    ++axis;
  }
  double macs = operands.empty() ? 0 : 1;
  for (const auto& [index, extent] : extents) macs *= extent;
  return macs;
}

}  // namespace preon
