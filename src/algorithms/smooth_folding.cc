#include "algorithms/smooth_folding.h"

#include "algorithms/scaled_layer.h"

namespace preon {
namespace {

// One value per element of the last axis, or one for all, with ones in front.
bool LiesAlongLastAxis(const Tensor& constant, size_t size) {
  const auto count = static_cast<size_t>(constant.count());
  return count == 1 ||
         (count == size && !constant.shape().empty() && static_cast<size_t>(constant.shape().back()) == size);
}

void DivideConstant(Graph& graph, Node& node, size_t input, std::span<const double> sigma) {
  const Tensor& constant = *graph.Initializer(node.input(input));
  std::vector<float> values(sigma.size());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(constant.floats()[constant.count() == 1 ? 0 : i] / sigma[i]);
  Shape shape = constant.shape();
  if (shape.empty()) shape = {1};
  shape.back() = static_cast<int64_t>(sigma.size());
  StoreConstant(graph, node, input, Tensor::FromFloats(shape, values));
}

void DivideOutputs(Graph& graph, Node& layer, std::span<const double> sigma) {
  std::vector<double> inverse;
  for (const double factor : sigma) inverse.push_back(1 / factor);
  ScaledLayer scaled(graph, layer);
  scaled.ScaleOutputs(inverse);
  scaled.ScaleBias(inverse);
  scaled.Store(graph, layer);
}

bool OnlyReadBy(const Graph& graph, const std::string& tensor, size_t readers) {
  return graph.UseCount(tensor) == readers && !graph.IsOutput(tensor) && !graph.HasCapturedUse(tensor);
}

bool IsConstantLayer(const Graph& graph, const Node& node, size_t outputs) {
  const bool layer = node.Is("MatMul") || node.Is("Gemm");
  const Tensor* weight = layer ? FloatConstant(graph, node.input(1)) : nullptr;
  if (weight == nullptr || weight->shape().size() != 2) return false;
  if (node.Is("Gemm") && !node.input(2).empty()) {
    const Tensor* bias = FloatConstant(graph, node.input(2));
    if (bias == nullptr || static_cast<size_t>(bias->count()) != outputs) return false;
  }
  const bool rows = node.Is("Gemm") && node.Int("transB", 0) == 1;
  return static_cast<size_t>(weight->shape()[rows ? 0 : 1]) == outputs;
}

bool NormalizesLastAxis(const Graph& graph, const Node& node, size_t size) {
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  const int64_t axis = node.Int("axis", -1);
  if (!node.Is("LayerNormalization") || !(axis == -1 || (shape && axis + 1 == std::ssize(*shape)))) return false;
  const auto fits = [&](size_t input) {
    const Tensor* constant = FloatConstant(graph, node.input(input));
    return constant != nullptr && static_cast<size_t>(constant->count()) == size;
  };
  return fits(1) && (node.input(2).empty() || fits(2)) && OnlyReadBy(graph, node.output(1), 0);
}

// The operand of Mul or Add that is a constant along the last axis; nothing where neither is.
std::optional<size_t> ConstantOperand(const Graph& graph, const Node& node, size_t size) {
  for (const size_t input : {1, 0}) {
    const Tensor* constant = FloatConstant(graph, node.input(input));
    const std::optional<Shape> other = graph.ShapeOf(node.input(1 - input));
    if (constant != nullptr && LiesAlongLastAxis(*constant, size) && other &&
        other->size() >= constant->shape().size() && !other->empty() && other->back() == static_cast<int64_t>(size))
      return input;
  }
  return std::nullopt;
}

}  // namespace

bool FoldIntoProducer(Graph& graph, const std::string& tensor, std::span<Node* const> readers,
                      std::span<const double> sigma) {
  if (!OnlyReadBy(graph, tensor, readers.size())) return false;
  Node* node = graph.Producer(tensor);
  while (node != nullptr && node->Is("Relu") && OnlyReadBy(graph, node->input(0), 1))
    node = graph.Producer(node->input(0));
  if (node == nullptr) return false;
  if (NormalizesLastAxis(graph, *node, sigma.size())) {
    DivideConstant(graph, *node, 1, sigma);
    if (!node->input(2).empty()) DivideConstant(graph, *node, 2, sigma);
    return true;
  }
  if (IsConstantLayer(graph, *node, sigma.size())) {
    DivideOutputs(graph, *node, sigma);
    return true;
  }
  const std::optional<size_t> operand =
      node->Is("Mul") || node->Is("Add") ? ConstantOperand(graph, *node, sigma.size()) : std::nullopt;
  if (!operand) return false;
  if (node->Is("Add")) {  // the bias of a MatMul
    Node* layer = graph.Producer(node->input(1 - *operand));
    if (layer == nullptr || !OnlyReadBy(graph, layer->output(), 1) || !IsConstantLayer(graph, *layer, sigma.size()))
      return false;
    DivideOutputs(graph, *layer, sigma);
  }
  DivideConstant(graph, *node, *operand, sigma);
  return true;
}

void InsertMul(Graph& graph, const std::string& tensor, std::span<Node* const> readers, std::span<const float> factors,
               const std::string& prefix) {
  const std::string scale = graph.UniqueTensorName(prefix + "_smooth_scale");
  graph.SetInitializer(scale, Tensor::FromFloats({static_cast<int64_t>(factors.size())}, factors));
  const std::string output = graph.UniqueTensorName(prefix + "_smooth_output");
  graph.AddNode("Mul", {tensor, scale}, {output}, prefix + "_smooth_mul", "", readers.front());
  if (const ValueInfo* info = graph.Info(tensor)) graph.SetInfo(output, *info);
  for (Node* reader : readers) graph.SetInput(reader, 0, output);
}

}  // namespace preon
