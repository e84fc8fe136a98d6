#include "reconstruct/solve_layer.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace preon
