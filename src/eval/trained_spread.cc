#include "eval/trained_spread.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "eval/median.h"
#include "eval/values.h"
#include "ir/constant_value.h"
#include "runtime/session.h"

namespace preon {
namespace {

constexpr size_t kMaxNodes = 12;
constexpr std::string_view kLinear[] = {"Add", "Cast",  "Concat",  "Conv", "Div",       "Identity", "Mul",
                                        "Pad", "Slice", "Squeeze", "Sub",  "Transpose", "Unsqueeze"};

// The nodes that compute `tensor` from `input` and constants alone.
bool CollectNodes(const Graph& graph, const std::string& tensor, const std::string& input,
                  std::set<const Node*>& nodes) {
  if (tensor.empty() || tensor == input || ConstantValue(graph, tensor) != nullptr) return true;
  const Node* node = graph.Producer(tensor);
  if (node == nullptr || !node->domain.empty() || std::ranges::find(kLinear, node->op_type) == std::end(kLinear))
    return false;
  nodes.insert(node);
  return nodes.size() <= kMaxNodes && std::ranges::all_of(node->inputs(), [&](const std::string& read) {
           return CollectNodes(graph, read, input, nodes);
         });
}

Model PartOf(const Model& model, const std::set<const Node*>& nodes, const std::string& input,
             const std::string& tensor) {
  Model part = model.ForPart();
  part.graph.name = "first layers";
  part.graph.AddInput(input, *model.graph.Info(input));
  for (const auto& node : model.graph.nodes()) {
    if (!nodes.contains(node.get())) continue;
    for (const std::string& read : node->inputs()) {
      const Tensor* constant = ConstantValue(model.graph, read);
      if (constant != nullptr) part.graph.SetInitializer(read, *constant);
    }
    part.graph.AddNode(node->op_type, node->inputs(), node->outputs(), node->name)->attributes = node->attributes;
  }
  part.graph.AddOutput(tensor, {});
  return part;
}

// Sums per channel of [N, C, ...].
struct SpreadSums {
  std::vector<double> sum, squares;
  double count = 0;

  void Add(const Tensor& tensor) {
    const size_t inner = static_cast<size_t>(tensor.count()) / (sum.size() * static_cast<size_t>(tensor.shape()[0]));
    const std::span<const float> values = tensor.floats();
    for (size_t at = 0; at < values.size(); ++at) {
      const double value = values[at];
      sum[at / inner % sum.size()] += value;
      squares[at / inner % sum.size()] += value * value;
    }
    count += static_cast<double>(values.size() / sum.size());
  }
};

}  // namespace

std::optional<TrainedLayers> FindTrainedLayers(const Model& model, const std::string& input) {
  const Graph& graph = model.graph;
  const auto found =
      std::ranges::find_if(graph.nodes(), [](const auto& node) { return node->Is("BatchNormalization"); });
  if (found == graph.nodes().end()) return std::nullopt;
  const Node& norm = **found;
  const Tensor *mean = ConstantValue(graph, norm.input(3)), *variance = ConstantValue(graph, norm.input(4));
  std::set<const Node*> nodes;
  if (mean == nullptr || variance == nullptr || !CollectNodes(graph, norm.input(0), input, nodes)) return std::nullopt;
  TrainedLayers layers{.node = norm.name, .input = input, .tensor = norm.input(0)};
  layers.mean = ToDoubles(*mean);
  layers.variance = ToDoubles(*variance);
  for (double& value : layers.variance) value = std::max(value, 0.0) + norm.Float("epsilon", 1e-5f);
  if (!nodes.empty()) layers.model = PartOf(model, nodes, input, layers.tensor);
  return layers;
}

Result<SpreadAgainstTraining> MeasureSpread(const TrainedLayers& layers, std::span<const Tensor> samples,
                                            const RunContext& context) {
  std::optional<Session> session;
  if (!layers.model.graph.nodes().empty()) {
    PREON_ASSIGN_OR_RETURN(session, Session::OpenModel(layers.model, {.threads = context.ThreadCount()}, context));
  }
  const size_t channels = layers.mean.size();
  SpreadSums sums{.sum = std::vector<double>(channels), .squares = std::vector<double>(channels)};
  for (const Tensor& sample : samples) {
    Tensor values = sample;
    if (session) {
      PREON_ASSIGN_OR_RETURN(const auto outputs, session->Run({{layers.input, sample}}, context));
      values = outputs.front().tensor;
    }
    if (values.type() != DataType::kFloat || values.shape().size() < 2 ||
        values.shape()[1] != static_cast<int64_t>(channels))
      return Error(ErrorId::kDataShape, layers.node, ": its input has the shape ", ShapeToString(values.shape()));
    sums.Add(values);
  }
  std::vector<double> ratios, divergences;
  for (size_t channel = 0; channel < channels; ++channel) {
    const double mean = sums.sum[channel] / sums.count;
    const double variance = std::max(sums.squares[channel] / sums.count - mean * mean, 0.0);
    const double ratio = variance / layers.variance[channel];
    const double shift = mean - layers.mean[channel];
    ratios.push_back(std::sqrt(ratio));
    divergences.push_back(0.5 *
                          (ratio + shift * shift / layers.variance[channel] - 1 - std::log(std::max(ratio, 1e-12))));
  }
  return SpreadAgainstTraining{Median(std::move(ratios)), Median(std::move(divergences))};
}

}  // namespace preon
