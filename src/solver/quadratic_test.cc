#include "solver/quadratic.h"

#include <gtest/gtest.h>

#include "solver/dense.h"
#include "solver/test_problems.h"

namespace preon {
namespace {

using test::CorrelatedInputs;
using test::RandomMatrix;

// Targets of a layer whose true weights and bias are other than those it has.
struct Layer {
  Matrix inputs = CorrelatedInputs(400, 6, 1), moved = RandomMatrix(6, 3, 2);
  std::vector<float> bias = {1, -2, 0.5F};
  float noise = 0;

  Matrix Missing(uint64_t seed) const {
    Matrix missing = RandomMatrix(inputs.rows(), 3, seed);
    for (float& value : missing.values()) value *= noise;
    AddProduct(inputs.view(), moved.view(), 1, missing.view());
    for (size_t p = 0; p < missing.rows(); ++p) {
      for (size_t j = 0; j < 3; ++j) missing.at(p, j) += bias[j];
    }
    return missing;
  }
  template <typename Sums>
  Sums AddedTo(Sums sums) const {
    const Matrix missing = Missing(9);
    sums.Add(inputs.view().Rows(0, 150), missing.view().Rows(0, 150), {});
    sums.Add(inputs.view().Rows(150, 250), missing.view().Rows(150, 250), {});
    return sums;
  }
  LayerSums::Moments Fitted() const { return AddedTo(LayerSums(6, 3)).Take(); }
  // @param places  fewer than inputs would be kept as rows
  JudgingSums Judging(size_t places = 400) const {
    JudgingSums judging = AddedTo(JudgingSums(6, 3, true, places));
    judging.Finish();
    return judging;
  }
};

const std::vector<size_t> kOutputs = {0, 1, 2};

Quadratic FormOf(const Layer& layer, const JudgingSums& seen, float damping) {
  LayerSums::Moments moments = layer.Fitted();
  return MakeQuadratic(std::move(moments.covariance), std::move(moments.cross), seen, damping, 1, {});
}

TEST(Quadratic, OptimumAndBiasAreThoseOfTheTrueWeights) {
  const Layer layer;
  const Quadratic form = FormOf(layer, layer.Judging(), 1e-6F);
  for (size_t i = 0; i < 18; ++i) EXPECT_NEAR(form.step.values()[i], layer.moved.values()[i], 1e-3);
  const std::vector<double> bias = BiasFor(layer.Fitted().means, layer.moved, kOutputs);
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(bias[j], layer.bias[j], 1e-4);
}

TEST(Quadratic, ErrorIsWhatThePlacesSay) {
  Layer layer;
  layer.noise = 0.3F;
  const Matrix moved = RandomMatrix(6, 3, 5), missing = layer.Missing(9), none(6, 3);
  const LayerMeans means = layer.Fitted().means;
  const std::vector<JudgingSums::Parts> parts = layer.Judging().PartsOf(moved, kOutputs);
  const std::vector<double> bias = BiasFor(means, moved, kOutputs), at_rest = BiasFor(means, none, kOutputs);
  for (size_t j = 0; j < 3; ++j) {
    double difference = 0;
    for (size_t p = 0; p < missing.rows(); ++p) {
      double left = double{missing.at(p, j)} - bias[j];
      for (size_t i = 0; i < 6; ++i) left -= double{layer.inputs.at(p, i)} * double{moved.at(i, j)};
      const double before = double{missing.at(p, j)} - at_rest[j];
      difference += left * left - before * before;
    }
    EXPECT_NEAR(parts[j].Error(), difference / static_cast<double>(missing.rows()), 1e-4);
  }
}

// Of fewer places than inputs rows are kept.
TEST(Quadratic, RowsSayTheSameAsTheirSums) {
  const Matrix inputs = CorrelatedInputs(20, 30, 1), missing = RandomMatrix(20, 4, 2), moved = RandomMatrix(30, 2, 3);
  for (const bool with_bias : {true, false}) {
    JudgingSums rows(30, 4, with_bias, 20);
    JudgingSums sums(30, 4, with_bias, 30);
    for (JudgingSums* each : {&rows, &sums}) {
      each->Add(inputs.view().Rows(0, 5), missing.view().Rows(0, 5), {});
      each->Add(inputs.view().Rows(5, 15), missing.view().Rows(5, 15), {});
      each->Finish();
    }
    for (size_t j = 0; j < 2; ++j) {
      const JudgingSums::Parts of_rows = rows.PartsOf(moved, {3, 1})[j], of_sums = sums.PartsOf(moved, {3, 1})[j];
      EXPECT_NEAR(of_rows.curved, of_sums.curved, 1e-4 * of_sums.curved);
      EXPECT_NEAR(of_rows.wanted, of_sums.wanted, 1e-4 * of_sums.curved);
    }
  }
}

TEST(Quadratic, ShrinkingLeavesVariancesAsTheyAre) {
  LayerSums sums(8, 1);
  sums.Add(RandomMatrix(12, 8, 3).view(), RandomMatrix(12, 1, 4).view(), {});
  Matrix covariance = std::move(sums).Take().covariance;
  const auto off_diagonal = [&] {
    double sum = 0;
    for (size_t i = 0; i < 8; ++i) {
      for (size_t j = 0; j < 8; ++j) sum += i == j ? 0 : double{covariance.at(i, j)} * double{covariance.at(i, j)};
    }
    return sum;
  };
  const double before = off_diagonal(), variance = covariance.at(2, 2);
  Shrink(covariance, 0.5F);
  EXPECT_NEAR(off_diagonal(), before / 4, 1e-6 * before);
  EXPECT_EQ(covariance.at(2, 2), variance);
}

TEST(Quadratic, WhatOtherDataContradictMovesNothing) {
  const Layer layer;
  Layer contrary;
  for (size_t i = 0; i < 18; ++i) contrary.moved.values()[i] = -layer.moved.values()[i];
  const Quadratic form = FormOf(layer, contrary.Judging(), 1e-4F);
  for (const float value : form.step.values()) EXPECT_EQ(value, 0);
}

TEST(Quadratic, InputsThatNeverChangeLeaveWeightsAsTheyAre) {
  Layer still;
  for (float& value : still.inputs.values()) value = 1;
  const Quadratic form = FormOf(still, still.Judging(), 0.01F);
  for (const float value : form.step.values()) EXPECT_NEAR(value, 0, 1e-5);
}

}  // namespace
}  // namespace preon
