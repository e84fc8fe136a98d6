#include "solver/round_codes.h"

#include <gtest/gtest.h>

#include "solver/dense.h"
#include "solver/quadratic.h"
#include "solver/test_problems.h"

namespace preon {
namespace {

using test::ColumnOf;
using test::CorrelatedInputs;
using test::FormAt;
using test::LeastForm;
using test::NearestCodes;
using test::RandomMatrix;

struct Case {
  Case(size_t inputs, size_t outputs, float levels, uint64_t seed = 1)
      : weights(RandomMatrix(inputs, outputs, seed)), optimum(weights), grids(test::GridsOf(weights, levels)) {
    LayerSums sums(inputs, outputs);
    const Matrix x = CorrelatedInputs(8 * inputs, inputs, seed + 1);
    sums.Add(x.view(), Matrix(x.rows(), outputs).view(), {});
    LayerSums::Moments moments = std::move(sums).Take();
    const JudgingSums none(inputs, outputs, true, 0);
    curvature = MakeQuadratic(std::move(moments.covariance), std::move(moments.cross), none, 0.01F, 1, {}).curvature;
  }
  CodeProblem Problem(CodeReach reach) const { return {curvature, optimum, weights, grids, reach}; }

  Matrix weights, optimum, curvature;
  CodeGrids grids;
};

double Total(const CodeProblem& problem, const Matrix& codes) {
  double total = 0;
  for (size_t j = 0; j < codes.columns(); ++j) total += FormAt(problem, ColumnOf(codes, j), j);
  return total;
}

Matrix Rounded(const CodeProblem& problem, const RoundingSteps& steps = {}) {
  return RoundCodes(problem, steps, OrderFor(problem.curvature, steps));
}

TEST(RoundCodes, FewInputsGetTheBestOfAllCodes) {
  for (const CodeReach reach : {CodeReach{.two_sided = true}, CodeReach{.steps = 1}}) {
    const Case nine(reach.two_sided ? 9 : 6, 20, 7);
    const CodeProblem problem = nine.Problem(reach);
    const Matrix codes = Rounded(problem);
    for (size_t j = 0; j < 20; ++j) {
      const double least = LeastForm(problem, j);
      EXPECT_NEAR(FormAt(problem, ColumnOf(codes, j), j), least, 1e-5 * least);
    }
  }
}

// All 2^13 roundings of 13 inputs: sweep and descent come near to the best of them, the nearest codes do not.
TEST(RoundCodes, SweepAndDescentComeNearTheBestOfAllRoundings) {
  const Case small(13, 6, 7);
  const CodeProblem problem = small.Problem({.two_sided = true});
  double best = 0;
  for (size_t j = 0; j < 6; ++j) best += LeastForm(problem, j);
  EXPECT_LT(Total(problem, Rounded(problem)), 1.4 * best);
  EXPECT_GT(Total(problem, NearestCodes(small.weights, small.grids)), 2 * best);
}

TEST(RoundCodes, EachStepLessensTheForm) {
  const Case layer(150, 70, 7);
  const CodeProblem problem = layer.Problem({.steps = 2});
  const double nearest = Total(problem, NearestCodes(layer.weights, layer.grids));
  const double swept = Total(problem, Rounded(problem, {.descent_rounds = 0}));
  const double descended = Total(problem, Rounded(problem, {.sweep = false}));
  const double both = Total(problem, Rounded(problem));
  EXPECT_LT(swept, 0.7 * nearest);
  EXPECT_LT(descended, 0.7 * nearest);
  EXPECT_LT(both, swept);
  EXPECT_LT(both, descended);
}

// After descent no single move helps.
TEST(RoundCodes, DescentEndsWhereNoSingleMoveHelps) {
  const Case layer(40, 5, 7);
  const CodeProblem problem = layer.Problem({.two_sided = true});
  const Matrix codes = Rounded(problem, {.descent_rounds = 100});
  for (size_t j = 0; j < 5; ++j) {
    std::vector<float> of_output = ColumnOf(codes, j);
    const double reached = FormAt(problem, of_output, j);
    for (size_t i = 0; i < 40; ++i) {
      const float exact = layer.weights.at(i, j) / layer.grids.at(i, j).scale, kept = of_output[i];
      for (const float other : {std::floor(exact), std::ceil(exact)}) {
        of_output[i] = std::clamp(other, layer.grids.at(i, j).least, layer.grids.at(i, j).most);
        EXPECT_GT(FormAt(problem, of_output, j), reached * (1 - 1e-4));
      }
      of_output[i] = kept;
    }
  }
}

TEST(RoundCodes, CodesStayInReachAndOnTheirGrid) {
  const Case layer(100, 9, 3);
  for (const CodeReach reach : {CodeReach{.two_sided = true}, CodeReach{.steps = 1}, CodeReach{.steps = 100}}) {
    const Matrix codes = Rounded(layer.Problem(reach));
    for (size_t i = 0; i < 100; ++i) {
      for (size_t j = 0; j < 9; ++j) {
        const float exact = layer.weights.at(i, j) / layer.grids.at(i, j).scale, code = codes.at(i, j);
        EXPECT_EQ(code, std::nearbyint(code));
        EXPECT_GE(code, -4);
        EXPECT_LE(code, 3);
        EXPECT_LE(std::abs(code - exact), reach.two_sided ? 1 : static_cast<float>(reach.steps) + 0.5F);
      }
    }
  }
}

TEST(RoundCodes, SomeInputsMayGetAnyCode) {
  Case layer(20, 3, 7);
  for (size_t j = 0; j < 3; ++j) layer.optimum.at(19, j) = layer.weights.at(19, j) < 0 ? 1.5F : -1.5F;
  CodeProblem problem = layer.Problem({.steps = 1});
  const double within = Total(problem, Rounded(problem));
  problem.reaching_all = 19;
  EXPECT_LT(Total(problem, Rounded(problem)), 0.7 * within);
}

// Inputs that are nearly the same leave no end of combinations that are nearly as good.
TEST(RoundCodes, TheSearchForTheBestEnds) {
  Case layer(10, 50, 100);
  for (float& value : layer.curvature.values()) value = 1;
  for (size_t i = 0; i < 10; ++i) layer.curvature.at(i, i) += 1e-4F;
  const CodeProblem problem = layer.Problem({.steps = kAnyCode});
  EXPECT_LT(Total(problem, Rounded(problem)), Total(problem, NearestCodes(layer.weights, layer.grids)));
}

// Without correlation there is nothing to make up for.
TEST(RoundCodes, IndependentInputsGetTheNearestCodes) {
  Case layer(70, 4, 7);
  layer.curvature = Matrix(70, 70);
  for (size_t i = 0; i < 70; ++i) layer.curvature.at(i, i) = static_cast<float>(i + 1);
  EXPECT_EQ(Rounded(layer.Problem({.steps = 3})).values(), NearestCodes(layer.weights, layer.grids).values());
}

}  // namespace
}  // namespace preon
