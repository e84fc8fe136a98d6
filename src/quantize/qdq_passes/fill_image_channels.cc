// fill_image_channels: the first convolution of an image gets four input channels.
//
// Before:      y = Conv(x, W)                       x: [N, C, H, W] dequantized, C < 4; W: codes [O, C, kh, kw]
// After:       y = Conv(DQ(Q(Concat(x, …))), W')    channels of x repeated up to four, W' = W with zeros for them
// Conditions:  the plan names the node (QuantPlan::filled_inputs, by GainsFromFourChannels); one scale; zero points of
//              W are 0; no other node reads the codes of W.
// Formula:     the added products are 0: the result is the same, bit for bit
// Why:         the runtime's direct integer convolution takes channels in fours (docs/design/placement.md).
#include "quantize/qdq_passes/fill_image_channels.h"

#include <algorithm>

#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int64_t kChannels = 4;
// What the kernels of AVX2, AVX-VNNI and AVX-512 have in common (docs/design/placement.md).
constexpr int64_t kOutputChannels = 16, kOutputChannelsStep = 8;

// [O, C, H, W] with zeros for the channels up to kChannels.
Tensor FilledWeight(const Tensor& codes) {
  Shape shape = codes.shape();
  const auto row = static_cast<size_t>(codes.count() / shape[0]);
  shape[1] = kChannels;
  Tensor filled = Tensor::Allocate(codes.type(), shape);
  const std::span<int8_t> to = filled.Mutable<int8_t>();
  const std::span<const int8_t> from = codes.As<int8_t>();
  const size_t filled_row = to.size() / static_cast<size_t>(shape[0]);
  for (size_t output = 0; output * row < from.size(); ++output) {
    std::ranges::copy(from.subspan(output * row, row), to.subspan(output * filled_row).begin());
  }
  return filled;
}

bool AreZero(const Tensor* zero_points) {
  return zero_points == nullptr ||
         std::ranges::all_of(zero_points->As<int8_t>(), [](int8_t zero) { return zero == 0; });
}

bool FillInputChannels(Graph& graph, Node* conv) {
  const Node* data = graph.Producer(conv->input(0));
  const Node* weight = graph.Producer(conv->input(1));
  const auto dequantizes = [](const Node* node) { return node != nullptr && node->Is("DequantizeLinear"); };
  if (!dequantizes(data) || !dequantizes(weight) || graph.UseCount(weight->output()) != 1) return false;
  const Tensor* codes = graph.Initializer(weight->input(0));
  if (codes == nullptr || codes->type() != DataType::kInt8 || graph.UseCount(weight->input(0)) != 1) return false;
  if (!AreZero(graph.Initializer(weight->input(2)))) return false;
  const int64_t channels = codes->shape()[1];
  if (channels >= kChannels) return false;
  const auto add_pair = [&, scale = data->input(1), zero_point = data->input(2)](const std::string& tensor) {
    const std::string result = graph.UniqueTensorName(tensor + "_DequantizeLinear_Output");
    AddPair(graph, tensor, scale, zero_point, result);
    return result;
  };
  const std::string base = conv->name + "_four_channels";

  std::vector<std::string> parts(static_cast<size_t>(kChannels / channels), conv->input(0));
  if (const int64_t missing = kChannels % channels; missing != 0) {
    const auto constant = [&](const char* what, int64_t value) {
      const std::string name = graph.UniqueTensorName(base + what);
      graph.SetInitializer(name, Tensor::FromInt64s({1}, {&value, 1}));
      return name;
    };
    const std::string slice = graph.UniqueTensorName(base + "_slice");
    graph.AddNode("Slice", {conv->input(0), constant("_starts", 0), constant("_ends", missing), constant("_axes", 1)},
                  {slice}, base + "_Slice");
    parts.push_back(add_pair(slice));
  }
  const std::string filled = graph.UniqueTensorName(base);
  graph.AddNode("Concat", parts, {filled}, base + "_Concat")->attributes["axis"] = int64_t{1};
  graph.SetInput(conv, 0, add_pair(filled));
  graph.SetInitializer(weight->input(0), FilledWeight(*codes));
  return true;
}

class FillImageChannels final : public QdqPass {
 public:
  std::string_view name() const override { return "fill_image_channels"; }
  std::string_view summary() const override {
    return "convolutions of images get four input channels instead of one to three";
  }
  bool WantedBy(const QuantPlan& plan) const override { return !plan.filled_inputs.empty(); }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    bool changed = false;
    for (const std::string& name : plan.filled_inputs) {
      Node* conv = model.graph.FindNode(name);
      changed = (conv != nullptr && FillInputChannels(model.graph, conv)) || changed;
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeFillImageChannelsPass() { return std::make_unique<FillImageChannels>(); }

bool GainsFromFourChannels(const Graph& graph, const Node& conv) {
  const Tensor* weight = graph.Initializer(conv.input(1));
  if (weight == nullptr || weight->shape().size() != 4 || conv.Int("group", 1) != 1) return false;
  const Shape& shape = weight->shape();
  return shape[1] < kChannels && shape[2] * shape[3] > 1 && shape[0] >= kOutputChannels &&
         shape[0] % kOutputChannelsStep == 0;
}

}  // namespace preon
