// SmoothQuant: channels of an activation that are much larger than the others are divided by a factor, by which the
// weights that read them are multiplied: what activations find hard to represent, weights take over.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/last_axis_extremes.h"
#include "algorithms/scaled_layer.h"
#include "algorithms/smooth_folding.h"

namespace preon {
namespace {

constexpr AlgorithmOption kSmoothQuantOptions[] = {
    {.name = "alpha",
     .parameter = "alpha",
     .key = "SmoothAlpha",
     .type = KeyType::kNumber,
     .fallback = "0.5",
     .meaning = "how much of the scaling moves into the weights: 0 none, 1 all",
     .range = "0..1"},
    {.name = "fold",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning =
         "fold the factors into the node that computes the activation where that is possible; false: always a Mul"},
};

constexpr double kSmall = 1e-9;                         // Quark's, in both places
constexpr double kLeastSigma = 1e-5, kMostSigma = 1e5;  // beyond, float32 has no digits left for the sum

/// An activation and the layers that multiply its last axis by constant weights.
struct Smoothed {
  std::string tensor;
  std::vector<Node*> readers;
  int64_t channels = 0;
};

bool ReadsLastAxis(const Graph& graph, const Node& node) {
  if (!node.Is("MatMul") && !(node.Is("Gemm") && node.Int("transA", 0) == 0)) return false;
  const Tensor* weight = FloatConstant(graph, node.input(1));
  return weight != nullptr && weight->shape().size() == 2 && graph.Initializer(node.input(0)) == nullptr;
}

int64_t InputChannels(const Graph& graph, const Node& node) {
  const bool rows = node.Is("Gemm") && node.Int("transB", 0) == 1;
  return graph.Initializer(node.input(1))->shape()[rows ? 1 : 0];
}

// In graph order of the first reader.
std::vector<Smoothed> FindSmoothed(const Graph& graph, const NodeFilter& quantized) {
  std::vector<Smoothed> found;
  for (const auto& node : graph.nodes()) {
    if (!quantized(*node) || !ReadsLastAxis(graph, *node)) continue;
    auto known = std::ranges::find(found, node->input(0), &Smoothed::tensor);
    if (known == found.end())
      known = found.insert(known, {.tensor = node->input(0), .channels = InputChannels(graph, *node)});
    known->readers.push_back(node.get());
  }
  return found;
}

// Source: Xiao et al. 2023, "SmoothQuant", equation 4. One for all readers, whose weights count together.
std::vector<double> SigmaOf(const Graph& graph, std::span<Node* const> readers, std::span<const float> activation,
                            double alpha) {
  std::vector<double> weight(activation.size());
  for (const Node* reader : readers) {
    const std::vector<double> ranges = ScaledLayer(graph, *reader).InputRanges();
    for (size_t i = 0; i < weight.size(); ++i) weight[i] = std::max(weight[i], ranges[i]);
  }
  std::vector<double> sigma;
  for (size_t i = 0; i < weight.size(); ++i) {
    const double factor = std::pow(double{activation[i]}, alpha) / std::pow(weight[i] + kSmall, 1 - alpha);
    sigma.push_back(activation[i] == 0 || weight[i] == 0 ? 1 : std::clamp(factor, kLeastSigma, kMostSigma));
  }
  return sigma;
}

void MultiplyWeights(Graph& graph, std::span<Node* const> readers, std::span<const double> sigma) {
  for (Node* reader : readers) {
    ScaledLayer layer(graph, *reader);
    layer.ScaleInputs(sigma);
    layer.Store(graph, *reader);
  }
}

std::vector<float> Inverse(std::span<const double> sigma) {
  std::vector<float> inverse;
  for (const double factor : sigma) inverse.push_back(static_cast<float>(1 / (factor + kSmall)));
  return inverse;
}

class SmoothQuant final : public Algorithm {
 public:
  SmoothQuant() : SmoothQuant(AlgorithmValues(kSmoothQuantOptions, {})) {}
  explicit SmoothQuant(const AlgorithmValues& values) : alpha_(values.Number("alpha")), folds_(values.Flag("fold")) {}

  std::string_view name() const override { return "smooth-quant"; }
  std::string_view summary() const override {
    return "moves outliers from the inputs of MatMul and Gemm into their weights; for transformers";
  }
  AlgorithmPhase phase() const override { return AlgorithmPhase::kFloatModel; }
  bool on_by_default() const override { return false; }
  std::string_view quark_name() const override { return "smooth_quant"; }
  std::span<const AlgorithmOption> options() const override { return kSmoothQuantOptions; }
  Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues& values) const override {
    return std::unique_ptr<Algorithm>(std::make_unique<SmoothQuant>(values));
  }

  StatisticsRequest NeedsOfFloat(const Graph& graph, const NodeFilter& quantized) const override {
    StatisticsRequest request;
    for (const Smoothed& smoothed : FindSmoothed(graph, quantized))
      request.Add({.others = {{&LastAxisExtremes(smoothed.channels), {smoothed.tensor}}}});
    return request;
  }

  Result<bool> RewriteFloat(Model& model, const NodeFilter& quantized, const CollectedStatistics& collected,
                            const PlanOptions& plan) const override {
    Graph& graph = model.graph;
    bool changed = false;
    for (const Smoothed& smoothed : FindSmoothed(graph, quantized)) {
      const std::string* found = Find(collected.others, LastAxisExtremes(smoothed.channels).name(), smoothed.tensor);
      const std::vector<float> activation = found == nullptr ? std::vector<float>() : ParseLastAxisExtremes(*found);
      if (std::ssize(activation) != smoothed.channels) continue;  // no sample reached it
      if (plan.compat == Compat::kQuark)
        SmoothEach(graph, smoothed, activation);
      else
        SmoothTogether(graph, smoothed, activation);
      changed = true;
    }
    return changed;
  }

 private:
  void SmoothTogether(Graph& graph, const Smoothed& smoothed, std::span<const float> activation) const {
    const std::vector<double> sigma = SigmaOf(graph, smoothed.readers, activation, alpha_);
    MultiplyWeights(graph, smoothed.readers, sigma);
    if (!folds_ || !FoldIntoProducer(graph, smoothed.tensor, smoothed.readers, sigma))
      InsertMul(graph, smoothed.tensor, smoothed.readers, Inverse(sigma), smoothed.tensor);
  }

  // As Quark does it: each MatMul for itself, with a Mul of its own, and no Gemm.
  void SmoothEach(Graph& graph, const Smoothed& smoothed, std::span<const float> activation) const {
    for (Node* reader : smoothed.readers) {
      if (!reader->Is("MatMul")) continue;
      const std::vector<double> sigma = SigmaOf(graph, {&reader, 1}, activation, alpha_);
      MultiplyWeights(graph, {&reader, 1}, sigma);
      InsertMul(graph, smoothed.tensor, {&reader, 1}, Inverse(sigma), smoothed.tensor + "_" + reader->name);
    }
  }

  double alpha_;
  bool folds_;
};

}  // namespace

std::unique_ptr<Algorithm> MakeSmoothQuantAlgorithm() { return std::make_unique<SmoothQuant>(); }

}  // namespace preon
