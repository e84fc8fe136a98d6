#include "reconstruct/solve_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solver/test_problems.h"

namespace preon {
namespace {

// One weight of 1, whose code is 2. Half of the rows read 1 and should give 1; the others read -1 and should give -5,
// which a Relu behind the layer makes 0.
class SolveLayerTest : public ::testing::Test {
 protected:
  SolveLayerTest() {
    layer_.coded.form = {.inputs = 1, .outputs = 1, .weight = {1, 1}};
    layer_.coded.weight = {.values = Tensor::FromFloats({1, 1}, std::vector<float>{2}),
                           .least = -8,
                           .most = 7,
                           .params = {QuantParams{.scale = 1}}};
    layer_.in_float = {.weight = Tensor::FromFloats({1, 1}, std::vector<float>{1}), .bias = {0}};
  }

  // @param ways  1: as if there were no Relu; 2: and with its 0 as a limit
  float CodeOf(size_t ways, bool with_rows) {
    Matrix inputs(2, 1), missing(2, ways);
    inputs.at(0, 0) = 1;
    inputs.at(1, 0) = -1;
    missing.at(1, 0) = -5 - -1;
    LayerData data{.ways = ways, .limits = {0, INFINITY}};
    data.fitted.emplace_back(1, ways, false).Add(inputs.view(), missing.view(), {});
    data.judging.emplace_back(1, ways, false, 2).Add(inputs.view(), missing.view(), {});
    if (with_rows) {
      Matrix targets(2, 1);
      targets.at(0, 0) = 1;
      data.rows.push_back({inputs, targets});
    }
    const LayerSolution solution =
        SolveLayer(layer_, std::move(data), {.reach = {.steps = kAnyCode}, .damping = 1e-6F}, {});
    EXPECT_EQ(solution.kept, 1);
    return solution.codes.at(0).at(0, 0);
  }

  MatchedLayer layer_;
};

TEST_F(SolveLayerTest, TargetsFarBelowTheZeroOfReluDecide) { EXPECT_EQ(CodeOf(1, false), 3); }

TEST_F(SolveLayerTest, UnlessTheErrorBehindItChoosesAmongWays) { EXPECT_EQ(CodeOf(2, true), 1); }

// 2 groups of 70 outputs, which are more than a panel, with 12 inputs, and rows behind the limits of a Relu.
class TwoGroups {
 public:
  explicit TwoGroups(bool coarse = false) {
    const Shape shape = {2 * kOutputs, kInputs, 1, 1};
    layer_.coded.form = {.groups = 2, .inputs = kInputs, .outputs = kOutputs, .weight = shape};
    layer_.coded.weight = {.least = -8, .most = 7, .params = {QuantParams{.scale = 0.3F}}};
    layer_.in_float.weight = Tensor::FromFloats(shape, test::RandomMatrix(2 * kOutputs, kInputs, 1).values());
    layer_.in_float.bias = test::RandomMatrix(1, 2 * kOutputs, 2).values();
    std::vector<float> codes(layer_.in_float.weight.floats().begin(), layer_.in_float.weight.floats().end());
    for (float& code : codes) code = std::clamp(std::nearbyint(code / 0.3F), -8.0F, 7.0F);
    layer_.coded.weight.values = Tensor::FromFloats(shape, codes);
    if (coarse) layer_.coded.bias = {std::vector<float>(2 * kOutputs, 3), std::vector<float>(2 * kOutputs, 0.2F), 127};
  }

  LayerSolution Solve(const ParallelFor& parallel_for, bool updates_bias = true) const {
    const size_t inputs = layer_.coded.inputs();
    LayerData data{.ways = 2, .limits = {0, 6}};
    for (uint64_t group = 0; group < 2; ++group) {
      Matrix x = test::CorrelatedInputs(80, inputs, 3 + group);
      for (size_t p = 0; p < 80 && layer_.coded.bias; ++p) x.at(p, kInputs) = 1;
      const Matrix missing = test::RandomMatrix(80, 2 * kOutputs, 5 + group);
      Matrix targets = test::RandomMatrix(20, kOutputs, 7 + group);
      for (float& target : targets.values()) target = std::clamp(target, 0.0F, 6.0F);
      data.fitted.emplace_back(inputs, 2 * kOutputs, !layer_.coded.bias)
          .Add(x.view().Rows(0, 60), missing.view().Rows(0, 60), {});
      data.judging.emplace_back(inputs, 2 * kOutputs, !layer_.coded.bias, 20)
          .Add(x.view().Rows(60, 20), missing.view().Rows(60, 20), {});
      Matrix rows(20, inputs);
      std::copy_n(x.row(60), 20 * inputs, rows.row(0));
      data.rows.push_back({rows, targets});
    }
    const ReconstructionRule rule{.reach = {.steps = 2}, .updates_bias = updates_bias};
    return SolveLayer(layer_, std::move(data), rule, parallel_for);
  }

  static constexpr size_t kInputs = 12, kOutputs = 70;

 private:
  MatchedLayer layer_;
};

TEST(SolveLayer, TheSameForAnyNumberOfThreads) {
  const TwoGroups layer;
  const LayerSolution alone = layer.Solve({});
  EXPECT_GT(alone.kept, 0);
  EXPECT_LT(alone.kept, 140) << "some outputs keep their codes";
  for (const size_t threads : {2U, 3U}) {
    const LayerSolution together = layer.Solve(OnThreads(threads));
    EXPECT_EQ(together.bias, alone.bias);
    EXPECT_EQ(together.bias_alone, alone.bias_alone);
    for (const size_t group : {0U, 1U}) EXPECT_EQ(together.codes[group].values(), alone.codes[group].values());
  }
}

TEST(SolveLayer, CoarseBiasesStayWhereTheyAreNotUpdated) {
  const TwoGroups layer(true);
  EXPECT_THAT(layer.Solve({}, false).bias, ::testing::Each(::testing::DoubleNear(3 * 0.2, 1e-6)));
  EXPECT_THAT(layer.Solve({}, true).bias, ::testing::Not(::testing::Each(::testing::DoubleNear(3 * 0.2, 1e-6))));
}

}  // namespace
}  // namespace preon
