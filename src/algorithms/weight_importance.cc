// Weight importance: weights in blocks get the scales that leave the least error of a layer's outputs, as far as the
// inputs of the layer are independent of each other: each weight's squared error counts as much as its input's mean
// square. Without samples all count alike.
#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "algorithms/algorithms.h"
#include "algorithms/last_axis_squares.h"
#include "reconstruct/coded_layer.h"

namespace preon {
namespace {

// Of the mean over all inputs: samples may hardly show an input that matters to others.
constexpr double kLeastImportance = 0.01;

int64_t InputsOf(const Graph& graph, const Node& node) {
  return static_cast<int64_t>(FormOfLayer(node, graph.Initializer(node.input(1))->shape()).value().inputs);
}

std::vector<float> ImportanceOf(const std::vector<double>& squares) {
  const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size());
  std::vector<float> importance;
  for (const double square : squares)
    importance.push_back(mean == 0 ? 1 : static_cast<float>(square / mean + kLeastImportance));
  return importance;
}

class WeightImportanceHook final : public WriteHook {
 public:
  explicit WeightImportanceHook(std::map<std::string, std::vector<float>> importance)
      : importance_(std::move(importance)) {}
  std::span<const float> ImportanceOfInputs(const std::string& node) const override {
    const auto found = importance_.find(node);
    return found == importance_.end() ? std::span<const float>() : found->second;
  }

 private:
  std::map<std::string, std::vector<float>> importance_;
};

class WeightImportance final : public Algorithm {
 public:
  std::string_view name() const override { return "weight-importance"; }
  std::string_view summary() const override {
    return "chooses scales of weights in blocks for the error of the outputs, by the mean squares of the inputs";
  }
  bool acts_on_weights_alone() const override { return true; }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    StatisticsRequest request;
    const NBitsOptions& options = plan.nbits.options;
    if (options.method != WeightMethod::kMinMse || options.bits == 8) return request;  // bytes lose hardly anything
    for (const std::string& name : plan.nbits.nodes) {
      const Node& node = *graph.FindNode(name);
      request.Add({.others = {{&LastAxisSquares(InputsOf(graph, node)), {node.input(0)}}}});
    }
    return request;
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    using Weight = std::pair<std::string, int64_t>;    // name, inputs
    std::map<Weight, std::vector<double>> squares_of;  // added up over its readers
    for (const std::string& name : plan.nbits.nodes) {
      const Node& node = *graph.FindNode(name);
      const int64_t inputs = InputsOf(graph, node);
      const std::string* found = Find(collected.others, LastAxisSquares(inputs).name(), node.input(0));
      const std::vector<double> squares = found == nullptr ? std::vector<double>() : ParseLastAxisSquares(*found);
      if (std::ssize(squares) != inputs) continue;
      std::vector<double>& sums = squares_of[{node.input(1), inputs}];
      sums.resize(squares.size());
      std::ranges::transform(sums, squares, sums.begin(), std::plus<>());
    }
    std::map<std::string, std::vector<float>> importance;
    for (const std::string& name : plan.nbits.nodes) {
      const Node& node = *graph.FindNode(name);
      const auto sums = squares_of.find({node.input(1), InputsOf(graph, node)});
      if (sums != squares_of.end()) importance[name] = ImportanceOf(sums->second);
    }
    return std::unique_ptr<WriteHook>(std::make_unique<WeightImportanceHook>(std::move(importance)));
  }
};

}  // namespace

std::unique_ptr<Algorithm> MakeWeightImportanceAlgorithm() { return std::make_unique<WeightImportance>(); }

}  // namespace preon
