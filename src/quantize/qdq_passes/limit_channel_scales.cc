// limit_channel_scales: channels of a weight whose scale is next to nothing get a larger one.
//
// Before:      y = Conv(x, DequantizeLinear(w, [0.1, 1e-12]), DequantizeLinear(b, …))
// After:       y = Conv(x, DequantizeLinear(w', [0.1, 1e-7]), DequantizeLinear(b', …))
// Conditions:  Conv, ConvTranspose, Gemm; the weight has a scale per channel and zero points 0; the largest scale is
//              more than PassParameters::floor.most_ratio times the smallest.
// Formula:     s' = max(s, floor); w' = round half to even(w s / s'); scales of a bias grow as much, its codes shrink
// Why:         Quark's constrain_per_channel_weight_scale, which keeps the codes and so multiplies the channel.
#include <algorithm>

#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/recode.h"

namespace preon {
namespace {

bool IsZero(const Tensor& zero_points) {
  return std::ranges::all_of(zero_points.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

class ChannelScales {
 public:
  ChannelScales(Graph& graph, const ScaleFloor& floor) : graph_(graph), floor_(floor) {}

  bool Limit(const Node& node) {
    const std::optional<CodedTensor> weight = DequantizedFrom(graph_, node.input(1));
    if (!weight || weight->per_tensor() || !IsZero(*graph_.Initializer(weight->zero_point))) return false;
    const Tensor old = *graph_.Initializer(weight->scale);
    const auto [least, most] = std::ranges::minmax(old.floats());
    if (!(double{most} > floor_.most_ratio * double{least})) return false;
    const double floor = floor_.adaptive ? std::max(floor_.least, double{most} / floor_.most_ratio) : floor_.least;
    std::vector<float> scales(old.floats().begin(), old.floats().end());
    std::vector<double> shrinks;  // by channel: old scale over new one
    for (float& scale : scales) {
      const float larger = std::max(scale, static_cast<float>(floor));
      shrinks.push_back(double{scale} / double{larger});
      scale = larger;
    }
    if (std::ranges::equal(scales, old.floats()) || !Recode(*weight, shrinks)) return false;
    graph_.SetInitializer(weight->scale, Tensor::FromFloats(old.shape(), scales));
    if (floor_.adjusts_bias) LimitBias(node, shrinks);
    return true;
  }

 private:
  bool Recode(const CodedTensor& coded, const std::vector<double>& shrinks) {
    const Tensor* codes = graph_.Initializer(coded.codes);
    if (codes == nullptr) return false;
    const Shape& shape = codes->shape();
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = coded.axis < 0 ? coded.axis + rank : coded.axis;
    size_t inner = 1;
    for (int64_t behind = axis + 1; behind < rank; ++behind)
      inner *= static_cast<size_t>(shape[static_cast<size_t>(behind)]);
    std::optional<Tensor> recoded =
        Recoded(*codes, [&](size_t index) { return shrinks[index / inner % shrinks.size()]; });
    if (!recoded) return false;
    graph_.SetInitializer(coded.codes, *std::move(recoded));
    return true;
  }

  void LimitBias(const Node& node, const std::vector<double>& shrinks) {
    const std::optional<CodedTensor> bias = DequantizedFrom(graph_, node.input(2));
    if (!bias || bias->scales != static_cast<int64_t>(shrinks.size())) return;
    CodedTensor along = *bias;
    along.axis = 0;
    if (!IsZero(*graph_.Initializer(bias->zero_point)) || !Recode(along, shrinks)) return;
    const Tensor old = *graph_.Initializer(bias->scale);
    std::vector<float> scales(old.floats().begin(), old.floats().end());
    for (size_t channel = 0; channel < scales.size(); ++channel)
      scales[channel] = static_cast<float>(double{scales[channel]} / shrinks[channel]);
    graph_.SetInitializer(bias->scale, Tensor::FromFloats(old.shape(), scales));
  }

  Graph& graph_;
  const ScaleFloor& floor_;
};

class LimitChannelScales final : public QdqPass {
 public:
  std::string_view name() const override { return "limit_channel_scales"; }
  std::vector<std::string_view> aliases() const override { return {"constrain_per_channel_weight_scale"}; }
  std::string_view summary() const override {
    return "channels of a weight whose scale is less than a millionth of the largest get a scale of 1e-7";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    ChannelScales scales(model.graph, plan.parameters.floor);
    bool changed = false;
    for (const auto& node : model.graph.nodes()) {
      if (node->Is("Conv") || node->Is("ConvTranspose") || node->Is("Gemm")) changed = scales.Limit(*node) || changed;
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeLimitChannelScalesPass() { return std::make_unique<LimitChannelScales>(); }

}  // namespace preon
