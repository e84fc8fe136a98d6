#include "algorithms/bias_correction.h"

#include <gtest/gtest.h>

#include "algorithms/algorithms.h"
#include "formats/block_codec.h"
#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/targets/targets.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;

// Mean over all places of the convolution of an input that is means[c] everywhere, by the definition of Conv.
std::vector<double> MeansOfConv(const Tensor& weight, std::span<const double> means, int64_t groups, const Shape& in,
                                const Shape& out, int64_t stride, int64_t dilation, const std::vector<int64_t>& pads) {
  const Shape& shape = weight.shape();
  std::vector<double> sums(static_cast<size_t>(shape[0]));
  for (int64_t o = 0; o < shape[0]; ++o) {
    for (int64_t y = 0; y < out[0]; ++y) {
      for (int64_t x = 0; x < out[1]; ++x) {
        for (int64_t i = 0; i < shape[1]; ++i) {
          for (int64_t ky = 0; ky < shape[2]; ++ky) {
            for (int64_t kx = 0; kx < shape[3]; ++kx) {
              const int64_t iy = y * stride + ky * dilation - pads[0], ix = x * stride + kx * dilation - pads[1];
              if (iy < 0 || iy >= in[0] || ix < 0 || ix >= in[1]) continue;
              const float w =
                  weight.floats()[static_cast<size_t>(((o * shape[1] + i) * shape[2] + ky) * shape[3] + kx)];
              sums[static_cast<size_t>(o)] += w * means[static_cast<size_t>(o / (shape[0] / groups) * shape[1] + i)];
            }
          }
        }
      }
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(out[0] * out[1]);
  return sums;
}

TEST(BiasShift, IsTheMeanOfTheWeightErrorsOutput) {
  struct Case {
    int64_t groups, kernel, stride, dilation;
    std::vector<int64_t> pads;
    Shape in, out;
  };
  for (const Case& c :
       {Case{1, 1, 1, 1, {0, 0, 0, 0}, {5, 6}, {5, 6}}, Case{1, 3, 1, 1, {1, 1, 1, 1}, {5, 6}, {5, 6}},
        Case{4, 3, 2, 1, {0, 1, 1, 0}, {6, 7}, {3, 3}}, Case{2, 3, 1, 2, {2, 2, 2, 2}, {6, 5}, {6, 5}}}) {
    GraphBuilder b({1, 4, c.in[0], c.in[1]});
    b.Constant("w", {8, 4 / c.groups, c.kernel, c.kernel});
    Node* conv = b.Op("Conv", {"x", "w"}, "y", {1, 8, c.out[0], c.out[1]});
    conv->attributes["group"] = c.groups;
    conv->attributes["strides"] = std::vector<int64_t>{c.stride, c.stride};
    conv->attributes["dilations"] = std::vector<int64_t>{c.dilation, c.dilation};
    conv->attributes["pads"] = c.pads;
    const std::vector<double> means = {1, -2, 0.5, 3};
    const Tensor& error = *b.model.graph.Initializer("w");
    const auto shift = BiasShift(b.model.graph, *conv, error, means);
    const auto wanted = MeansOfConv(error, means, c.groups, c.in, c.out, c.stride, c.dilation, c.pads);
    ASSERT_EQ(shift.size(), wanted.size());
    for (size_t o = 0; o < wanted.size(); ++o) EXPECT_NEAR(shift[o], wanted[o], 1e-9) << "stride " << c.stride;
    const bool is_same_upper = c.in == c.out;  // by these pads, too
    if (!is_same_upper) continue;
    conv->attributes.erase("pads");
    conv->attributes["auto_pad"] = std::string("SAME_UPPER");
    EXPECT_EQ(BiasShift(b.model.graph, *conv, error, means), shift);
  }
}

TEST(BiasShift, GemmEitherWayRound) {
  GraphBuilder b({1, 3});
  b.Constant("w", {3, 2});
  Node* gemm = b.Op("Gemm", {"x", "w"}, "y", {1, 2});
  gemm->attributes["alpha"] = 2.0f;
  const float e[] = {1, 2, 3, 4, 5, 6};
  const std::vector<double> means = {1, 10, 100};
  EXPECT_EQ(BiasShift(b.model.graph, *gemm, Tensor::FromFloats({3, 2}, e), means), (std::vector<double>{1062, 1284}));
  gemm->attributes["transB"] = int64_t{1};
  EXPECT_EQ(BiasShift(b.model.graph, *gemm, Tensor::FromFloats({2, 3}, e), means), (std::vector<double>{642, 1308}));
}

TEST(BiasShift, NothingForMeansThatDoNotFit) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "y");
  const Node& conv = *b.model.graph.Producer("y");
  EXPECT_TRUE(BiasShift(b.model.graph, conv, *b.model.graph.Initializer("y_w"), std::vector<double>{1, 2}).empty());
}

const std::vector<double> kMeansOfX = {1, 1, -1, 0.5};

WriteHooks HooksOf(const Graph& graph, const QuantPlan& plan) {
  WriteHooks hooks;
  hooks.push_back(*MakeBiasCorrectionAlgorithm()->Apply(graph, plan, {.channel_means = {{"x", kMeansOfX}}}));
  return hooks;
}

TEST(BiasCorrection, ReachesTheCodesOfTheBias) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "y");
  b.Output("y");
  const Result<QuantPlan> plan = PlanForOrtCpu(b.model, {});
  EXPECT_EQ(MeanSources(b.model.graph, *plan), (std::map<std::string, std::string>{{"x", "x"}}));
  const TensorRanges ranges = {{"x", {-1, 1}}, {"y", {-1, 1}}};
  const Result<Model> plain = ApplyPlan(b.model, *plan, ranges);
  const Result<Model> corrected = ApplyPlan(b.model, *plan, ranges, HooksOf(b.model.graph, *plan));
  const auto codes = [](const Model& model) { return model.graph.Initializer("y_b_quantized")->As<int32_t>(); };
  const auto scales = corrected->graph.Initializer("y_b_quantized_scale")->floats();
  for (size_t o = 0; o < 4; ++o) {
    double shift = 0;
    for (size_t i = 0; i < 4; ++i) {
      const float w = b.model.graph.Initializer("y_w")->floats()[4 * o + i];
      const float coded = corrected->graph.Initializer("y_w_scale")->floats()[o] *
                          static_cast<float>(corrected->graph.Initializer("y_w_quantized")->As<int8_t>()[4 * o + i]);
      shift += static_cast<double>(w - coded) * kMeansOfX[i];
    }
    EXPECT_NEAR((codes(*corrected)[o] - codes(*plain)[o]) * scales[o], shift, scales[o]);
  }
}

// Blocks have no range, but means all the same. `simulate` leaves the bias a float, `quark` puts it in blocks, too.
TEST(BiasCorrection, OfWeightsInBlocks) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "y");
  b.Output("y");
  const TensorType mx6 = *ParseTensorType("mx6");
  const PlanOptions options{.activation = mx6, .weight = mx6, .weight_form = WeightForm::kFolded};
  for (const auto& target : {MakeSimulateTarget(), MakeQuarkTarget()}) {
    const Result<QuantPlan> plan = target->Plan(b.model, options);
    EXPECT_EQ(MeanSources(b.model.graph, *plan), (std::map<std::string, std::string>{{"x", "x"}}));
    const Result<Model> corrected = ApplyPlan(b.model, *plan, {}, HooksOf(b.model.graph, *plan));
    ASSERT_TRUE(corrected.ok()) << corrected.status().message();
    const Node& conv = *corrected->graph.FindNode("y_node");
    const auto weight = b.model.graph.Initializer("y_w")->floats(),
               rounded = corrected->graph.Initializer(conv.input(1))->floats();
    std::vector<float> wanted(b.model.graph.Initializer("y_b")->floats().begin(),
                              b.model.graph.Initializer("y_b")->floats().end());
    for (size_t i = 0; i < weight.size(); ++i)
      wanted[i / 4] += (weight[i] - rounded[i]) * static_cast<float>(kMeansOfX[i % 4]);
    EXPECT_NE(wanted[0], b.model.graph.Initializer("y_b")->floats()[0]);
    if (target->name() == "quark") {
      const BlockSpec spec = *mx6.block();
      ASSERT_TRUE(QuantizeDequantize(spec, Shape{4}, 0, wanted.data(), wanted.data()).ok());
    }
    for (size_t o = 0; o < 4; ++o)
      EXPECT_NEAR(corrected->graph.Initializer(conv.input(2))->floats()[o], wanted[o], 1e-6) << target->name();
  }
  PlanOptions compatible = options;
  compatible.compat = Compat::kQuark;  // which corrects none
  const auto algorithm = MakeBiasCorrectionAlgorithm();
  EXPECT_TRUE(algorithm->AppliesTo(*MakeQuarkTarget(), options));
  EXPECT_FALSE(algorithm->AppliesTo(*MakeQuarkTarget(), compatible));
}

}  // namespace
}  // namespace preon
