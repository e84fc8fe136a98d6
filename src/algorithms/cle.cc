// Cross-layer equalization: a channel between two layers is scaled so that its weights in both have the same range, and
// one scale per weight tensor serves all channels.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "algorithms/algorithms.h"
#include "algorithms/equalization_error.h"
#include "algorithms/equalization_patterns.h"
#include "algorithms/scaled_layer.h"

namespace preon {
namespace {

constexpr AlgorithmOption kCleOptions[] = {
    {.name = "steps",
     .parameter = "cle_steps",
     .key = "CLESteps",
     .type = KeyType::kInteger,
     .fallback = "1",
     .meaning = "sweeps over all pairs of layers; -1 = until the weights no longer change",
     .range = "-1.."},
    {.name = "weight-threshold",
     .parameter = "cle_weight_threshold",
     .key = "CLEWeightThreshold",
     .type = KeyType::kNumber,
     .fallback = "0.5",
     .meaning = "a channel whose ranges in both layers add up to less than this stays as it is",
     .range = "0.."},
    {.name = "use-threshold",
     .parameter = "cle_scale_use_threshold",
     .key = "CLEScaleUseThreshold",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "apply weight-threshold"},
    {.name = "append-bias",
     .parameter = "cle_scale_append_bias",
     .key = "CLEScaleAppendBias",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "the first layer's bias counts in its range"},
    {.name = "diff-threshold",
     .parameter = "cle_total_layer_diff_threshold",
     .key = "CLETotalLayerDiffThreshold",
     .type = KeyType::kNumber,
     .fallback = "1.9e-07",
     .meaning = "sweeps end when they change the weights by less than this, the mean of each layer added up",
     .range = "0.."},
    {.name = "balance",
     .parameter = "cle_balance_method",
     .key = "CLEBalanceMethod",
     .type = KeyType::kText,
     .fallback = "\"max\"",
     .meaning =
         "max: the largest magnitudes of both layers become equal; error: each pair of layers goes only as far towards "
         "that as makes the expected rounding error smallest; it takes no weight-threshold, use-threshold and "
         "append-bias",
     .range = "max|error"},
    {.name = "replace-clip6",
     .key = "ReplaceClip6Relu",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Clip(0, 6) becomes Relu first, so that layers around it can be equalized, too; outputs change"},
    {.name = "op-types",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "only layers of these operator types; empty: all"},
    {.name = "nodes", .type = KeyType::kTexts, .fallback = "[]", .meaning = "only these layers; empty: all"},
    {.name = "exclude", .type = KeyType::kTexts, .fallback = "[]", .meaning = "not these layers"},
};

constexpr int kMostSweeps = 1000;
constexpr int kSameSweeps = 20;
constexpr double kSameChange = 1e-9;

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Magnitudes of a channel's weights as the bias is compared with: none is zero.
std::vector<double> Magnitudes(const std::vector<float>& values) {
  constexpr double kLeast = 1e-7;
  double smallest = 0;
  for (const float value : values) {
    const double magnitude = std::abs(double{value});
    if (magnitude > 0 && (smallest == 0 || magnitude < smallest)) smallest = magnitude;
  }
  std::vector<double> magnitudes;
  for (const float value : values)
    magnitudes.push_back(std::max(kLeast, value == 0 ? smallest : std::abs(double{value})));
  return magnitudes;
}

// What the bias is divided by where it counts in the range: a bias of another order than the weights would else be all
// that counts. The limits are those of Quark (CLEScaleAppendBias).
double BiasShrinkFactor(const ScaledLayer& layer) {
  std::vector<double> ratios;
  double largest_weight = 0, largest_bias = 0;
  for (size_t channel = 0; channel < layer.outputs(); ++channel) {
    const double bias = std::abs(double{layer.bias()[channel]});
    largest_bias = std::max(largest_bias, bias);
    for (const double magnitude : Magnitudes(layer.OutputValues(channel))) {
      largest_weight = std::max(largest_weight, magnitude);
      ratios.push_back(bias / magnitude);
    }
  }
  const double mean = MeanOf(ratios), median = MedianOf(std::move(ratios));
  if (largest_bias < 10 && largest_bias / largest_weight < 20) return median > 100 || mean > 1000 ? 5 : 2;
  if (median > 30 || mean > 500) return 20;
  return median > 15 || mean > 100 ? 10 : 5;
}

struct CleSettings {
  int64_t steps;
  double weight_threshold;  ///< 0 = none
  bool append_bias;
  double diff_threshold;
  bool by_error;
};

class Sweeps {
 public:
  Sweeps(const Graph& graph, const std::vector<EqualizationPattern>& patterns, const CleSettings& settings,
         const CodeSteps& steps)
      : patterns_(patterns), settings_(settings), steps_(steps) {
    for (const EqualizationPattern& pattern : patterns) {
      for (const Node* node : pattern.layers) layers_.try_emplace(node->name, graph, *node);
    }
  }

  // As in Quark, a sweep ends with the first pattern once more (1.1 dB better on MobileNetV2 with preset VINT8).
  void Run() {
    int same = 0;
    double last = -1;
    const int64_t sweeps = settings_.steps < 0 ? kMostSweeps : settings_.steps;
    for (int64_t sweep = 0; sweep < sweeps; ++sweep) {
      const Layers before = sweeps > 1 ? layers_ : Layers();
      for (const EqualizationPattern& pattern : patterns_) Visit(pattern);
      Visit(patterns_.front());
      if (sweeps == 1) return;
      const double change = ChangeSince(before);
      same = std::abs(change - last) <= kSameChange ? same + 1 : 0;
      last = change;
      if (change <= settings_.diff_threshold || same >= kSameSweeps) return;
    }
  }

  void Store(Graph& graph) const {
    for (const auto& [name, layer] : layers_) layer.Store(graph, *graph.FindNode(name));
  }

 private:
  using Layers = std::map<std::string, ScaledLayer>;  // by node

  ScaledLayer& Layer(const EqualizationPattern& pattern, size_t index) {
    return layers_.at(pattern.layers[index]->name);
  }

  // By error, three layers are two pairs: their common range leaves out the tensors between, and those lose more.
  void Visit(const EqualizationPattern& pattern) {
    if (settings_.by_error) {
      if (pattern.layers.size() == 2) BalanceByError(Layer(pattern, 0), Layer(pattern, 1));
      return;
    }
    pattern.layers.size() == 2 ? BalanceTwo(Layer(pattern, 0), Layer(pattern, 1))
                               : BalanceThree(Layer(pattern, 0), Layer(pattern, 1), Layer(pattern, 2));
  }

  // Both ranges become sqrt(r0 r1). Source: Nagel et al. 2019, equation 11.
  void BalanceTwo(ScaledLayer& head, ScaledLayer& tail) const {
    std::vector<double> first = head.OutputRanges();
    const std::vector<double> second = tail.InputRanges();
    if (settings_.append_bias && !head.bias().empty()) {
      const double shrink = BiasShrinkFactor(head);
      for (size_t channel = 0; channel < first.size(); ++channel) {
        if (first[channel] > 0)
          first[channel] = std::max(first[channel], std::abs(double{head.bias()[channel]}) / shrink);
      }
    }
    Scale(head, tail, EqualRanges(first, second, settings_.weight_threshold));
  }

  void BalanceByError(ScaledLayer& head, ScaledLayer& tail) const {
    std::vector<double> factors = EqualRanges(head.OutputRanges(), tail.InputRanges(), 0);
    const double power = BestPower(head, tail, factors, steps_);
    for (double& factor : factors) factor = std::pow(factor, power);
    Scale(head, tail, factors);
  }

  // Factors of the first layer's channels; 1 where its range and the second's add up to less than `least_sum`.
  static std::vector<double> EqualRanges(std::span<const double> first, std::span<const double> second,
                                         double least_sum) {
    std::vector<double> factors(first.size(), 1);
    for (size_t channel = 0; channel < first.size(); ++channel) {
      if (first[channel] * second[channel] != 0 && first[channel] + second[channel] >= least_sum)
        factors[channel] = std::sqrt(second[channel] / first[channel]);
    }
    return factors;
  }

  static void Scale(ScaledLayer& head, ScaledLayer& tail, std::span<const double> factors) {
    head.ScaleOutputs(factors);
    head.ScaleBias(factors);
    std::vector<double> inverse;
    for (const double factor : factors) inverse.push_back(1 / factor);
    tail.ScaleInputs(inverse);
  }

  // All three ranges become their geometric mean.
  static void BalanceThree(ScaledLayer& first, ScaledLayer& middle, ScaledLayer& last) {
    const std::vector<double> m0 = first.OutputRanges(), m1 = middle.OutputRanges(), m2 = last.InputRanges();
    const auto usable = [](double factor) { return std::isfinite(factor) && factor != 0 ? factor : 1; };
    std::vector<double> by_first(m0.size()), by_middle(m0.size()), of_middle_bias(m0.size()), by_last(m0.size());
    for (size_t channel = 0; channel < m0.size(); ++channel) {
      const double mean = std::cbrt(m0[channel] * m1[channel] * m2[channel]);
      const double s12 = usable(m0[channel] / mean), s23 = usable(mean / m2[channel]);
      by_first[channel] = 1 / s12;
      by_middle[channel] = s12 / s23;
      of_middle_bias[channel] = 1 / s23;
      by_last[channel] = s23;
    }
    first.ScaleOutputs(by_first);
    first.ScaleBias(by_first);
    middle.ScaleOutputs(by_middle);
    middle.ScaleBias(of_middle_bias);
    last.ScaleInputs(by_last);
  }

  // Mean change of a weight, added up over the layers.
  double ChangeSince(const Layers& before) const {
    double sum = 0;
    for (const auto& [name, layer] : layers_) {
      const std::span<const float> now = layer.weight(), then = before.at(name).weight();
      double change = 0;
      for (size_t i = 0; i < now.size(); ++i) change += std::abs(double{now[i]} - double{then[i]});
      sum += change / static_cast<double>(now.size());
    }
    return sum;
  }

  const std::vector<EqualizationPattern>& patterns_;
  const CleSettings settings_;
  const CodeSteps steps_;
  Layers layers_;
};

// What Quark equalizes: no Conv that leaves out the attribute `group`.
NodeFilter WithGroup(NodeFilter quantized) {
  return [quantized = std::move(quantized)](const Node& node) {
    return quantized(node) && (!node.Is("Conv") || node.attributes.contains("group"));
  };
}

// Layers that the options name; an empty list names all.
struct CleLayers {
  std::vector<std::string> op_types, nodes, excluded;

  bool Include(const Node& node) const {
    return (op_types.empty() || std::ranges::find(op_types, node.op_type) != op_types.end()) &&
           (nodes.empty() || StandsForOne(node, {nodes.begin(), nodes.end()})) &&
           !StandsForOne(node, {excluded.begin(), excluded.end()});
  }
};

class Cle final : public Algorithm {
 public:
  Cle() : Cle(AlgorithmValues(kCleOptions, {})) {}
  explicit Cle(const AlgorithmValues& values)
      : settings_{.steps = values.Integer("steps"),
                  .weight_threshold = values.Flag("use-threshold") ? values.Number("weight-threshold") : 0,
                  .append_bias = values.Flag("append-bias"),
                  .diff_threshold = values.Number("diff-threshold"),
                  .by_error = values.Text("balance") == "error"},
        replaces_clip6_(values.Flag("replace-clip6")),
        layers_{.op_types = values.TextList("op-types"),
                .nodes = values.TextList("nodes"),
                .excluded = values.TextList("exclude")} {}

  std::string_view name() const override { return "cle"; }
  std::vector<std::string_view> aliases() const override { return {"cross-layer-equalization"}; }
  std::string_view summary() const override {
    return "cross-layer equalization: scales channels between layers so that their weights have the same range";
  }
  AlgorithmPhase phase() const override { return AlgorithmPhase::kFloatModel; }
  bool on_by_default() const override { return false; }
  std::string_view quark_name() const override { return "cle"; }
  // Floats and blocks have no scale that large channels could take from small ones: they lose by what moves.
  bool SuitsWeights(const TensorType& type) const override { return IsIntType(type.type()) && type.block() == nullptr; }
  std::span<const AlgorithmOption> options() const override { return kCleOptions; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    for (const char* option : {"weight-threshold", "use-threshold", "append-bias"}) {
      if (values.Text("balance") == "error" && values.set().contains(option))
        return Error(ErrorId::kConflictingOptions, StrCat("cle: ", option, ": has no effect with balance=error"))
            .WithHint("leave it out, or use balance=max");
    }
    return std::unique_ptr<Algorithm>(std::make_unique<Cle>(values));
  }

  OptionNames Names() const override {
    return {.nodes = {{"cle: nodes", layers_.nodes}, {"cle: exclude", layers_.excluded}},
            .op_types = {{"cle: op-types", layers_.op_types}}};
  }
  std::vector<std::string_view> SourcePasses() const override {
    return replaces_clip6_ ? std::vector<std::string_view>{"clip6_to_relu"} : std::vector<std::string_view>();
  }
  Result<bool> RewriteFloat(Model& model, const NodeFilter& quantized, const CollectedStatistics&,
                            const PlanOptions& plan) const override {
    const NodeFilter chosen = [&](const Node& node) { return quantized(node) && layers_.Include(node); };
    const std::vector<EqualizationPattern> patterns =
        FindEqualizationPatterns(model.graph, plan.compat == Compat::kQuark ? WithGroup(chosen) : chosen);
    if (patterns.empty() || settings_.steps == 0) return false;
    const TensorType tensor = plan.op_list.selection.weights_only ? DataType::kFloat : plan.activation;
    Sweeps sweeps(model.graph, patterns, settings_, StepsOf(plan.weight, tensor, plan.scale_type));
    sweeps.Run();
    sweeps.Store(model.graph);
    return true;
  }

 private:
  CleSettings settings_;
  bool replaces_clip6_;
  CleLayers layers_;
};

}  // namespace

std::unique_ptr<Algorithm> MakeCleAlgorithm() { return std::make_unique<Cle>(); }

}  // namespace preon
