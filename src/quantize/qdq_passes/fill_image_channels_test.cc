#include "quantize/qdq_passes/fill_image_channels.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;

// x [1, channels, 8, 8] -> Conv 3x3 -> y with `outputs` channels.
Model ImageModel(int64_t channels, int64_t outputs, Shape window = {3, 3}) {
  GraphBuilder b({1, channels, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {outputs, channels, window[0], window[1]}), b.Constant("b", {outputs})}, "y",
       {1, outputs, 8, 8});
  b.Output("y");
  return b.model;
}

Model QuantizeImageModel(const Model& model, const PlanOptions& options = {}) {
  const QuantPlan plan = *PlanForOrtCpu(model, options);
  return *ApplyPlan(model, plan, {{"x", {-1, 1}}, {"y", {-1, 1}}});
}

std::vector<std::string> ConcatInputs(const Graph& graph) {
  const Node* concat = graph.FindNode("y_node_four_channels_Concat");
  return concat == nullptr ? std::vector<std::string>{} : concat->inputs();
}

TEST(FillInputChannels, RepeatsChannelsUpToFourWithZeroWeights) {
  for (const int64_t channels : {1, 2, 3}) {
    const Model quantized = QuantizeImageModel(ImageModel(channels, 16));
    const Graph& graph = quantized.graph;
    EXPECT_EQ(ConcatInputs(graph).size(), channels == 1 ? 4u : 2u) << channels;
    const Tensor& codes = *graph.Initializer("w_quantized");
    EXPECT_EQ(codes.shape(), (Shape{16, 4, 3, 3}));
    const Model plain = QuantizeImageModel(ImageModel(channels, 16), {.compat = Compat::kQuark});
    const Tensor& wanted = *plain.graph.Initializer("w_quantized");
    for (int64_t output = 0; output < 16; ++output) {
      for (int64_t at = 0; at < 4 * 9; ++at) {
        const int64_t code = codes.As<int8_t>()[output * 36 + at];
        EXPECT_EQ(code, at < channels * 9 ? wanted.As<int8_t>()[output * channels * 9 + at] : 0);
      }
    }
    const Node* conv = graph.FindNode("y_node");
    EXPECT_EQ(graph.Producer(conv->input(0))->input(1), "x_scale") << "the copies keep the input's codes";
  }
}

TEST(FillInputChannels, OnlyWhereTheDirectKernelTakesTheRest) {
  EXPECT_EQ(ConcatInputs(QuantizeImageModel(ImageModel(4, 16)).graph).size(), 0u);
  EXPECT_EQ(ConcatInputs(QuantizeImageModel(ImageModel(3, 8)).graph).size(), 0u);
  EXPECT_EQ(ConcatInputs(QuantizeImageModel(ImageModel(3, 20)).graph).size(), 0u);
  EXPECT_EQ(ConcatInputs(QuantizeImageModel(ImageModel(3, 16, {1, 1})).graph).size(), 0u);
  EXPECT_EQ(ConcatInputs(QuantizeImageModel(ImageModel(3, 16), {.compat = Compat::kQuark}).graph).size(), 0u);
}

TEST(FillInputChannels, AWeightThatOthersReadStays) {
  Model model = ImageModel(3, 16);
  GraphBuilder b({1, 3, 8, 8});
  b.model = std::move(model);
  b.Op("Conv", {"x", "w", "b"}, "z", {1, 16, 8, 8});
  b.Output("z");
  const QuantPlan plan = *PlanForOrtCpu(b.model, {});
  const Model quantized = *ApplyPlan(b.model, plan, {{"x", {-1, 1}}, {"y", {-1, 1}}, {"z", {-1, 1}}});
  EXPECT_EQ(quantized.graph.Initializer("w_quantized")->shape(), (Shape{16, 3, 3, 3}));
}

}  // namespace
}  // namespace preon
