// Multiply-accumulates of a node, from typical shapes; dimensions that nothing tells count as kUnknownDim.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "quantize/plan/macs.h"

namespace preon {
namespace {

// A batch of one sample; unknown lengths (tokens, pixels) as in a typical run. Only ratios between nodes matter.
constexpr double kUnknownDim = 64;

double Elements(const Shape& shape, size_t begin, size_t end) {
  double product = 1;
  for (size_t axis = begin; axis < end; ++axis) {
    const bool batch = axis == 0;
    product *= shape[axis] >= 0 ? static_cast<double>(shape[axis]) : batch ? 1 : kUnknownDim;
  }
  return product;
}

// Of a Gemm. Where the typical shape does not tell them, a Reshape has made rows of samples and tokens together.
double RowsOf(const Graph& graph, const Node& node, const Shape& a) {
  if (node.Int("transA", 0) != 0) return Elements(a, 1, 2);
  const Node* producer = graph.Producer(node.input(0));
  const bool joins_tokens = a[0] < 0 && producer != nullptr && producer->Is("Reshape");
  return joins_tokens ? kUnknownDim : Elements(a, 0, 1);
}

enum class ProductKind : uint8_t { kConv, kConvTranspose, kGemm, kMatMul, kMatMulNBits };

struct Product {
  std::string_view op_type;
  ProductKind kind;
  int b = 1;  ///< the input that is the weight or the second factor
  std::string_view domain = "";
};

// Those on integers as well, which models that have been quantized consist of.
constexpr std::array kProducts = {Product{"Conv", ProductKind::kConv},
                                  Product{"ConvTranspose", ProductKind::kConvTranspose},
                                  Product{"Gemm", ProductKind::kGemm},
                                  Product{"MatMul", ProductKind::kMatMul},
                                  Product{"ConvInteger", ProductKind::kConv},
                                  Product{"MatMulInteger", ProductKind::kMatMul},
                                  Product{"QLinearConv", ProductKind::kConv, 3},
                                  Product{"QLinearMatMul", ProductKind::kMatMul, 3},
                                  Product{"QGemm", ProductKind::kGemm, 3, "com.microsoft"},
                                  Product{"MatMulNBits", ProductKind::kMatMulNBits, 1, "com.microsoft"}};

std::optional<Product> ProductOf(const Node& node) {
  const auto found = std::ranges::find_if(kProducts, [&](const Product& product) {
    return node.op_type == product.op_type && node.domain == product.domain;
  });
  return found == kProducts.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

double NodeMacs(const Graph& graph, const Node& node) {
  const std::optional<Product> product = ProductOf(node);
  if (!product) return 0;
  const std::optional<Shape> a = graph.TypicalShapeOf(node.input(0));
  const std::optional<Shape> b = graph.TypicalShapeOf(node.input(product->b));
  const std::optional<Shape> y = graph.TypicalShapeOf(node.output());
  if (!b || b->empty()) return 0;
  switch (product->kind) {
    case ProductKind::kConv:
      return y && y->size() == b->size() ? Elements(*y, 0, y->size()) * Elements(*b, 1, b->size()) : 0;
    case ProductKind::kConvTranspose:
      return a && a->size() == b->size() ? Elements(*a, 0, a->size()) * Elements(*b, 1, b->size()) : 0;
    case ProductKind::kGemm:
      if (!a || a->size() != 2 || b->size() != 2) return 0;
      return RowsOf(graph, node, *a) * static_cast<double>(std::max<int64_t>((*b)[0], 1)) *
             static_cast<double>(std::max<int64_t>((*b)[1], 1));
    case ProductKind::kMatMulNBits:
      return a && !a->empty() ? Elements(*a, 0, a->size()) * static_cast<double>(node.Int("N", 0)) : 0;
    case ProductKind::kMatMul:
      if (!a || a->empty()) return 0;
      const size_t last = b->size() - 1;
      const double columns = b->size() == 1 ? 1 : (*b)[last] >= 0 ? static_cast<double>((*b)[last]) : kUnknownDim;
      return Elements(*a, 0, a->size()) * columns;
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
    if (shape) weights += Elements(*shape, 0, shape->size());
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
    extents.emplace(index, Elements(*shape, axis, axis + 1));
    ++axis;
  }
  double macs = operands.empty() ? 0 : 1;
  for (const auto& [index, extent] : extents) macs *= extent;
  return macs;
}

}  // namespace preon
