#include "passes/support/input_sizes.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

// Shape of input x after filling.
Shape FilledShape(const std::string& graph) {
  Result<Model> model = ParseModelText(R"(<ir_version: 8, opset_import: ["" : 15]> )" + graph);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  InferShapes(*model);
  std::vector<TensorSpec> inputs = {{"x", DataType::kFloat, *model->graph.ShapeOf("x")}};
  FillInputSizes(model->graph, inputs);
  return inputs[0].shape;
}

TEST(FillInputSizes, TakesWhatWeightsAskFor) {
  EXPECT_EQ(FilledShape(R"(g (float[N, C, H, W] x) => (float[N, 2, P, Q] y)
      <float[2, 3, 1, 1] w = {1, 2, 3, 4, 5, 6}> { y = Conv(x, w) })"),
            (Shape{kDynamicDim, 3, kDynamicDim, kDynamicDim}));
  EXPECT_EQ(FilledShape(R"(g (float[N, T, D] x) => (float[N, T, 2] y)
      <float[3, 2] w = {1, 2, 3, 4, 5, 6}> { y = MatMul(x, w) })"),
            (Shape{kDynamicDim, kDynamicDim, 3}));
  EXPECT_EQ(FilledShape(R"(g (float[N, D] x) => (float[N, 2] y)
      <float[2, 3] w = {1, 2, 3, 4, 5, 6}> { y = Gemm<transB = 1>(x, w) })"),
            (Shape{kDynamicDim, 3}));
}

TEST(FillInputSizes, FollowsDimensionsBackToTheInput) {
  EXPECT_EQ(FilledShape(R"(g (float[T, D] x, float[1, 8, 3] w, float[1, 8, 2] r) => (float[T, 1, 1, 2] y)
      <int64[1] axis = {1}> {
        u = Unsqueeze(x, axis)
        t = Tanh(u)
        y = LSTM<hidden_size = 2>(t, w, r)
      })"),
            (Shape{kDynamicDim, 3}));
  EXPECT_EQ(FilledShape(R"(g (float[N, H, W, C] x) => (float[N, 2, P, Q] y)
      <float[2, 3, 1, 1] w = {1, 2, 3, 4, 5, 6}> {
        n = Transpose<perm = [0, 3, 1, 2]>(x)
        y = Conv(n, w)
      })"),
            (Shape{kDynamicDim, kDynamicDim, kDynamicDim, 3}));
}

TEST(FillInputSizes, LeavesTheSamplesAxisAndWhatNothingFixes) {
  EXPECT_EQ(FilledShape(R"(g (float[A, B] x) => (float[2, B] y)
      <float[2, 3] w = {1, 2, 3, 4, 5, 6}> { y = MatMul(w, x) })"),
            (Shape{kDynamicDim, kDynamicDim}));
  EXPECT_EQ(FilledShape(R"(g (float[N, D] x) => (float[N, D] y) <float[1] one = {1}> { y = Add(x, one) })"),
            (Shape{kDynamicDim, kDynamicDim}));
}

}  // namespace
}  // namespace preon
