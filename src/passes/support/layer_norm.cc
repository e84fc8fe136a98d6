#include "passes/support/layer_norm.h"

#include <algorithm>

#include "passes/support/match.h"

namespace preon {
namespace {

// Dimensions from the end that a ReduceMean with kept dimensions averages over, if they are the last ones; else 0.
size_t TrailingAxes(const Graph& graph, const Node& mean, const Shape& shape) {
  std::optional<std::vector<int64_t>> axes = IntsOf(graph, mean, 1, "axes");
  if (!axes.has_value() || axes->empty() || mean.Int("keepdims", 1) == 0) return 0;
  const auto rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(axes->size());
  for (int64_t& axis : *axes) axis = axis < 0 ? axis + rank : axis;
  std::sort(axes->begin(), axes->end());
  for (int64_t index = 0; index < count; ++index) {
    if ((*axes)[static_cast<size_t>(index)] != rank - count + index) return 0;
  }
  return axes->size();
}

// The tensor whose square this is.
std::string SquaredInput(const Graph& graph, const Node* node) {
  if (node == nullptr) return "";
  if (node->Is("Pow")) return IsScalar(graph, node->input(1), 2) ? node->input(0) : "";
  return node->Is("Mul") && node->input(0) == node->input(1) ? node->input(0) : "";
}

class Matcher {
 public:
  explicit Matcher(const Graph& graph) : graph_(graph) {}

  std::optional<LayerNorm> Match(Node& sqrt) {
    if (!MatchVariance(sqrt) || !(MatchDivision(sqrt) || MatchReciprocal(sqrt))) return std::nullopt;
    if (!IsClosed(graph_, found_.nodes, found_.last)) return std::nullopt;
    return std::move(found_);
  }

 private:
  // sqrt(mean((x - mean(x))^2) + epsilon), upwards.
  bool MatchVariance(Node& sqrt) {
    Node* sum = ProducerOf(graph_, sqrt.input(0), "Add");
    if (sum == nullptr) return false;
    const std::optional<ScalarOperand> epsilon = ScalarOperandOf(graph_, *sum);
    Node* variance = epsilon ? ProducerOf(graph_, sum->input(epsilon->data), "ReduceMean") : nullptr;
    if (variance == nullptr || !(epsilon->value >= 0)) return false;
    Node* square = graph_.Producer(variance->input(0));
    difference_ = SquaredInput(graph_, square);
    Node* sub = ProducerOf(graph_, difference_, "Sub");
    Node* mean = sub == nullptr ? nullptr : ProducerOf(graph_, sub->input(1), "ReduceMean");
    if (mean == nullptr || mean->input(0) != sub->input(0)) return false;

    found_.x = mean->input(0);
    mean_ = mean->output();
    found_.epsilon = epsilon->value;
    found_.nodes = {mean, sub, square, variance, sum, &sqrt};
    const std::optional<Shape> shape = graph_.ShapeOf(found_.x);
    if (!shape.has_value() || graph_.TypeOf(found_.x) != DataType::kFloat) return false;
    const size_t axes = TrailingAxes(graph_, *mean, *shape);
    if (axes == 0 || axes != TrailingAxes(graph_, *variance, *shape)) return false;
    found_.normalized.assign(shape->end() - static_cast<std::ptrdiff_t>(axes), shape->end());
    return IsStatic(found_.normalized);
  }

  // d / sqrt, then the affine part.
  bool MatchDivision(const Node& sqrt) {
    Node* div = OnlyReader(graph_, sqrt.output());
    if (div == nullptr || !div->Is("Div") || div->input(0) != difference_) return false;
    Take(div);
    MatchAffine();
    return true;
  }

  bool MatchReciprocal(const Node& sqrt) {
    Node* inverse = OnlyReader(graph_, sqrt.output());
    if (inverse == nullptr) return false;
    const bool one_by = inverse->Is("Div") && IsScalar(graph_, inverse->input(0), 1, 0);
    if (!one_by && !inverse->Is("Reciprocal")) return false;
    Take(inverse);
    if (Node* gain = OnlyReader(graph_, inverse->output()); gain != nullptr && gain->Is("Mul")) {
      const std::string gamma = OtherInput(*gain, inverse->output());
      if (IsParameter(gamma)) {
        found_.gamma = gamma;
        Take(gain);
      }
    }
    const std::string gain = found_.last->output();
    if (MatchKeras(gain)) return true;
    Node* product = OnlyReader(graph_, gain);
    if (product == nullptr || !product->Is("Mul") || OtherInput(*product, gain) != difference_) return false;
    Take(product);
    MatchAffine();
    return true;
  }

  // x * gain + (beta - mean * gain)
  bool MatchKeras(const std::string& gain) {
    const std::vector<Use> uses = graph_.Uses(gain);
    if (uses.size() != 2) return false;
    for (size_t index = 0; index < 2; ++index) {
      Node* scaled = uses[index].node;
      Node* scaled_mean = uses[1 - index].node;
      if (!scaled->Is("Mul") || !scaled_mean->Is("Mul")) return false;
      if (OtherInput(*scaled, gain) != found_.x || OtherInput(*scaled_mean, gain) != mean_) continue;
      Node* offset = OnlyReader(graph_, scaled_mean->output());
      Node* sum = OnlyReader(graph_, scaled->output());
      if (offset == nullptr || sum == nullptr || !offset->Is("Sub") || !sum->Is("Add")) return false;
      if (!IsParameter(offset->input(0)) || OtherInput(*sum, scaled->output()) != offset->output()) return false;
      found_.beta = offset->input(0);
      for (Node* node : {scaled, scaled_mean, offset, sum}) Take(node);
      return true;
    }
    return false;
  }

  // [* gamma] [+ beta], as far as they are there.
  void MatchAffine() {
    if (found_.gamma.empty()) found_.gamma = TakeParameter("Mul");
    found_.beta = TakeParameter("Add");
  }

  std::string TakeParameter(std::string_view op_type) {
    Node* node = OnlyReader(graph_, found_.last->output());
    if (node == nullptr || !node->Is(op_type)) return "";
    std::string parameter = OtherInput(*node, found_.last->output());
    if (!IsParameter(parameter)) return "";
    Take(node);
    return parameter;
  }

  // A float constant of the normalized shape; ones in front of it change nothing as long as x has those dimensions too.
  bool IsParameter(const std::string& tensor) const {
    const Tensor* constant = Constant(graph_, tensor);
    const size_t rank = found_.normalized.size();
    if (constant == nullptr || constant->type() != DataType::kFloat || constant->shape().size() < rank) return false;
    const Shape& shape = constant->shape();
    const auto first = shape.end() - static_cast<std::ptrdiff_t>(rank);
    return shape.size() <= graph_.ShapeOf(found_.x)->size() &&
           std::equal(first, shape.end(), found_.normalized.begin()) &&
           std::all_of(shape.begin(), first, [](int64_t dim) { return dim == 1; });
  }

  void Take(Node* node) {
    found_.nodes.push_back(node);
    found_.last = node;
  }

  const Graph& graph_;
  LayerNorm found_;
  std::string difference_, mean_;  // names of x - mean and mean
};

}  // namespace

std::optional<LayerNorm> MatchLayerNorm(const Graph& graph, Node& sqrt) { return Matcher(graph).Match(sqrt); }

}  // namespace preon
