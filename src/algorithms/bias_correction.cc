#include "algorithms/bias_correction.h"

#include <array>
#include <type_traits>

#include "algorithms/algorithms.h"
#include "reconstruct/conv_padding.h"

namespace preon {
namespace {

// The share of output places along one axis at which kernel element k lies on the input.
std::vector<double> SharesInside(int64_t input, int64_t output, int64_t kernel, int64_t stride, int64_t dilation,
                                 int64_t pad) {
  std::vector<double> shares(static_cast<size_t>(kernel));
  for (int64_t k = 0; k < kernel; ++k) {
    int64_t inside = 0;
    for (int64_t place = 0; place < output; ++place) {
      const int64_t at = place * stride + k * dilation - pad;
      inside += at >= 0 && at < input;
    }
    shares[static_cast<size_t>(k)] = static_cast<double>(inside) / static_cast<double>(output);
  }
  return shares;
}

// For each element of the kernel, in the weight's order. All 1 where sizes are not known: there is mostly no padding.
std::vector<double> SharesInside(const Graph& graph, const Node& node, const Shape& weight) {
  const std::optional<Shape> input = graph.ShapeOf(node.input(0)), output = graph.ShapeOf(node.output());
  const size_t axes = weight.size() - 2;
  const std::vector<int64_t> strides = node.Ints("strides"), dilations = node.Ints("dilations");
  std::vector<int64_t> pads;
  if (input && output) pads = PaddingInFront(node, weight, *input, *output);
  std::vector<double> shares = {1};
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t kernel = weight[axis + 2];
    std::vector<double> along(static_cast<size_t>(kernel), 1);
    if (!pads.empty() && (*input)[axis + 2] > 0 && (*output)[axis + 2] > 0) {
      along = SharesInside((*input)[axis + 2], (*output)[axis + 2], kernel, strides.empty() ? 1 : strides[axis],
                           dilations.empty() ? 1 : dilations[axis], pads[axis]);
    }
    std::vector<double> product;
    for (const double outer : shares) {
      for (const double inner : along) product.push_back(outer * inner);
    }
    shares = std::move(product);
  }
  return shares;
}

std::vector<double> ConvShift(const Graph& graph, const Node& node, const Tensor& error,
                              std::span<const double> means) {
  const Shape& shape = error.shape();
  const int64_t groups = node.Int("group", 1);
  const auto outputs = static_cast<size_t>(shape[0]), inputs = static_cast<size_t>(shape[1]);
  if (means.size() != inputs * static_cast<size_t>(groups)) return {};
  const std::vector<double> shares = SharesInside(graph, node, shape);
  const size_t outputs_per_group = outputs / static_cast<size_t>(groups);
  const size_t kernel = shares.size();
  std::vector<double> shift(outputs);
  // Some outputs side by side: each addition waits for the one before it in the same sum.
  const auto add = [&]<size_t kOutputs>(std::integral_constant<size_t, kOutputs>) {
    for (size_t first = 0; first < outputs; first += kOutputs) {
      const float* e = error.floats().data() + first * inputs * kernel;
      const double* mean = means.data() + first / outputs_per_group * inputs;
      for (size_t i = 0; i < inputs; ++i, e += kernel) {
        std::array<double, kOutputs> sum{};
        for (size_t k = 0; k < kernel; ++k) {
          for (size_t o = 0; o < kOutputs; ++o) sum[o] += shares[k] * static_cast<double>(e[o * inputs * kernel + k]);
        }
        for (size_t o = 0; o < kOutputs; ++o) shift[first + o] += sum[o] * mean[i];
      }
    }
  };
  constexpr std::integral_constant<size_t, 4> kSome;
  constexpr std::integral_constant<size_t, 1> kOne;
  outputs_per_group % kSome == 0 ? add(kSome) : add(kOne);
  return shift;
}

std::vector<double> GemmShift(const Node& node, const Tensor& error, std::span<const double> means) {
  const bool transposed = node.Int("transB", 0) != 0;
  const auto rows = static_cast<size_t>(error.shape()[0]), columns = static_cast<size_t>(error.shape()[1]);
  if (means.size() != (transposed ? columns : rows) || node.Int("transA", 0) != 0) return {};
  std::vector<double> shift(transposed ? rows : columns);
  const float* e = error.floats().data();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column)
      shift[transposed ? row : column] += means[transposed ? column : row] * static_cast<double>(*e++);
  }
  const double alpha = node.Float("alpha", 1);
  for (double& value : shift) value *= alpha;
  return shift;
}

// A bias of one mantissa bit is off by up to a fifth: more than what would be corrected.
bool IsTooCoarse(const QuantPlan& plan, const BiasPlan& bias) {
  const auto written = plan.weights.find(bias.bias);
  if (written == plan.weights.end() || !written->second.block) return false;
  const std::optional<MiniFloat>& element = written->second.block->spec.element;
  return element && element->mantissa_bits <= 1;
}

}  // namespace

std::map<std::string, std::string> MeanSources(const Graph& graph, const QuantPlan& plan) {
  std::map<std::string, std::string> sources;
  for (const BiasPlan& bias : plan.biases) {
    if (IsTooCoarse(plan, bias)) continue;
    std::string tensor = bias.input;
    for (const Node* node = graph.Producer(tensor); node != nullptr; node = graph.Producer(tensor)) {
      if (!node->Is("Flatten") && !node->Is("Reshape") && !node->Is("Squeeze") && !node->Is("Unsqueeze")) break;
      tensor = node->input(0);
    }
    const auto activation = plan.activations.find(tensor);
    if (activation == plan.activations.end() || !activation->second.shares.empty() ||
        !activation->second.range_of.empty())
      continue;
    // Blocks and floats that are rounded as they are have no range, and are observed for nothing else. Beside floats,
    // which round little, a Gemm stays as it is: one row per sample is too few (SST-2 lost 0.5 dB with eight samples).
    const ActivationPlan& read = activation->second;
    const bool beside_floats = read.format.floating() && graph.FindNode(bias.node)->Is("Conv");
    if (read.block || beside_floats || (read.source == RangeSource::kObserved && !read.params))
      sources[bias.input] = tensor;
  }
  return sources;
}

std::vector<double> BiasShift(const Graph& graph, const Node& node, const Tensor& error,
                              std::span<const double> means) {
  if (node.Is("Conv")) return ConvShift(graph, node, error, means);
  if (node.Is("Gemm")) return GemmShift(node, error, means);
  return {};
}

namespace {

class BiasCorrectionHook final : public WriteHook {
 public:
  /// @param means  per channel, by the input of the node
  explicit BiasCorrectionHook(std::map<std::string, std::vector<double>> means) : means_(std::move(means)) {}

  void OnDivided(const DividedChannels& divided) override {
    const auto means = means_.find(divided.tensor);
    if (means == means_.end()) return;
    for (size_t channel = 0; channel < divided.factors.size(); ++channel)
      means->second[channel] /= double{divided.factors[channel]};
  }

  bool ShiftsBias(const BiasPlan& bias) const override { return means_.contains(bias.input); }

  std::vector<double> ShiftOfBias(const Graph& graph, const BiasPlan& bias, const Tensor& error) const override {
    const auto means = means_.find(bias.input);
    if (means == means_.end()) return {};
    return BiasShift(graph, *graph.FindNode(bias.node), error, means->second);
  }

 private:
  std::map<std::string, std::vector<double>> means_;
};

class BiasCorrection final : public Algorithm {
 public:
  std::string_view name() const override { return "bias-correction"; }
  std::string_view summary() const override { return "corrects biases for the mean error of rounded weights"; }
  bool has_switch() const override { return true; }
  std::string_view quark_name() const override { return "bias_correction"; }

  StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const override {
    StatisticsRequest request;
    for (const auto& [input, observed] : MeanSources(graph, plan)) request.Add({.channel_means = {observed}});
    return request;
  }

  Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                           const CollectedStatistics& collected) const override {
    std::map<std::string, std::vector<double>> means_of;
    for (const auto& [input, observed] : MeanSources(graph, plan)) {
      auto means = collected.channel_means.find(observed);
      // Saved ranges of earlier versions name the input.
      if (means == collected.channel_means.end()) means = collected.channel_means.find(input);
      if (means != collected.channel_means.end()) means_of[input] = means->second;
    }
    return std::unique_ptr<WriteHook>(std::make_unique<BiasCorrectionHook>(std::move(means_of)));
  }
};

}  // namespace

std::unique_ptr<Algorithm> MakeBiasCorrectionAlgorithm() { return std::make_unique<BiasCorrection>(); }

}  // namespace preon
