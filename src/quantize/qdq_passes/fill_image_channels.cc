#include "quantize/qdq_passes/fill_image_channels.h"

#include <algorithm>

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

}  // namespace

bool GainsFromFourChannels(const Graph& graph, const Node& conv) {
  const Tensor* weight = graph.Initializer(conv.input(1));
  if (weight == nullptr || weight->shape().size() != 4 || conv.Int("group", 1) != 1) return false;
  const Shape& shape = weight->shape();
  return shape[1] < kChannels && shape[2] * shape[3] > 1 && shape[0] >= kOutputChannels &&
         shape[0] % kOutputChannelsStep == 0;
}

void FillInputChannels(Graph& graph, QdqWriter& writer, Node* conv) {
  const Node* data = graph.Producer(conv->input(0));
  const Node* weight = graph.Producer(conv->input(1));
  const auto dequantizes = [](const Node* node) { return node != nullptr && node->Is("DequantizeLinear"); };
  if (!dequantizes(data) || !dequantizes(weight) || graph.UseCount(weight->output()) != 1) return;
  const Tensor* codes = graph.Initializer(weight->input(0));
  if (codes == nullptr || codes->type() != DataType::kInt8 || graph.UseCount(weight->input(0)) != 1) return;
  const int64_t channels = codes->shape()[1];
  const ParamNames params{data->input(1), data->input(2)};
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
    parts.push_back(writer.AddPair(writer.OpenBehind(slice, false, nullptr), params));
  }
  const std::string filled = graph.UniqueTensorName(base);
  graph.AddNode("Concat", parts, {filled}, base + "_Concat")->attributes["axis"] = int64_t{1};
  graph.SetInput(conv, 0, writer.AddPair(writer.OpenBehind(filled, false, nullptr), params));
  graph.SetInitializer(weight->input(0), FilledWeight(*codes));
}

}  // namespace preon
