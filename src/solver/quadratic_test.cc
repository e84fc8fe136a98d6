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
  LayerSums Sums(uint64_t seed = 9) const {
    LayerSums sums(6, 3);
    const Matrix missing = Missing(seed);
    sums.Add(inputs.view().Rows(0, 150), missing.view().Rows(0, 150), {});
    sums.Add(inputs.view().Rows(150, 250), missing.view().Rows(150, 250), {});
    return sums;
  }
};

TEST(Quadratic, OptimumAndBiasAreThoseOfTheTrueWeights) {
  const Layer layer;
  const Matrix weights = RandomMatrix(6, 3, 4);
  const LayerSums sums = layer.Sums();
  const Quadratic form = MakeQuadratic(sums, sums, weights, 1e-6F);
  for (size_t i = 0; i < weights.values().size(); ++i)
    EXPECT_NEAR(form.optimum.values()[i], weights.values()[i] + layer.moved.values()[i], 1e-3);
  const std::vector<double> bias = BiasFor(sums, layer.moved);
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(bias[j], layer.bias[j], 1e-4);
}

TEST(Quadratic, ErrorIsWhatThePlacesSay) {
  Layer layer;
  layer.noise = 0.3F;
  const LayerSums sums = layer.Sums();
  const Matrix moved = RandomMatrix(6, 3, 5), missing = layer.Missing(9), none(6, 3);
  const std::vector<double> errors = ErrorOf(sums, moved), bias = BiasFor(sums, moved), at_rest = BiasFor(sums, none);
  for (size_t j = 0; j < 3; ++j) {
    double difference = 0;
    for (size_t p = 0; p < missing.rows(); ++p) {
      double left = double{missing.at(p, j)} - bias[j];
      for (size_t i = 0; i < 6; ++i) left -= double{layer.inputs.at(p, i)} * double{moved.at(i, j)};
      const double before = double{missing.at(p, j)} - at_rest[j];
      difference += left * left - before * before;
    }
    EXPECT_NEAR(errors[j], difference / static_cast<double>(missing.rows()), 1e-4);
  }
}

TEST(Quadratic, WhatOtherDataContradictMovesNothing) {
  const Layer layer;
  Layer contrary;
  for (float& value : contrary.moved.values()) value = 0;
  for (size_t i = 0; i < 18; ++i) contrary.moved.values()[i] = -layer.moved.values()[i];
  const Matrix weights = RandomMatrix(6, 3, 4);
  const Quadratic form = MakeQuadratic(layer.Sums(), contrary.Sums(), weights, 1e-4F);
  EXPECT_EQ(form.optimum.values(), weights.values());
}

TEST(Quadratic, InputsThatNeverChangeLeaveWeightsAsTheyAre) {
  Layer still;
  for (float& value : still.inputs.values()) value = 1;
  const Matrix weights = RandomMatrix(6, 3, 4);
  const LayerSums sums = still.Sums();
  const Quadratic form = MakeQuadratic(sums, sums, weights, 0.01F);
  for (size_t i = 0; i < 18; ++i) EXPECT_NEAR(form.optimum.values()[i], weights.values()[i], 1e-5);
}

}  // namespace
}  // namespace preon
