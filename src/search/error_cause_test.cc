#include "search/error_cause.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace preon {
namespace {

TensorSketch SketchOf(const std::vector<float>& values) {
  TensorSketch sketch;
  sketch.Update(values);
  return sketch;
}

std::vector<float> Normal(size_t count, float deviation) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Codes for ±largest.
QuantParams CodesFor(float largest) { return {.scale = 2 * largest / 255, .zero_point = 128}; }

TEST(ErrorCause, NothingStandsOutOfNormalValues) {
  EXPECT_EQ(CauseOfActivation(SketchOf(Normal(10000, 1)), CodesFor(4), {DataType::kUInt8}), "");
}

TEST(ErrorCause, ClippedValues) {
  EXPECT_NE(CauseOfActivation(SketchOf(Normal(10000, 1)), CodesFor(1), {DataType::kUInt8}).find("are clipped"),
            std::string::npos);
}

TEST(ErrorCause, OneLargeValue) {
  std::vector<float> values = Normal(10000, 1);
  values[7] = 100;
  EXPECT_NE(CauseOfActivation(SketchOf(values), CodesFor(100), {DataType::kUInt8}).find("times the 99th percentile"),
            std::string::npos);
}

TEST(ErrorCause, FewCodesForMostValues) {
  EXPECT_NE(CauseOfActivation(SketchOf(Normal(10000, 1)), CodesFor(60), {DataType::kUInt8}).find("codes"),
            std::string::npos);
}

Tensor Weight(const std::vector<float>& values) { return Tensor::FromFloats({4, 16}, values); }

TEST(ErrorCause, ChannelsOfDifferentSizeUnderOneScale) {
  std::vector<float> values = Normal(64, 1);
  for (size_t i = 0; i < 16; ++i) values[i] *= 100;
  const WeightPlan per_tensor{.format = {DataType::kInt8, true}};
  EXPECT_NE(CauseOfWeight(Weight(values), per_tensor).find("one scale for all channels"), std::string::npos);
  const WeightPlan per_channel{.format = {DataType::kInt8, true}, .axis = 0};
  EXPECT_EQ(CauseOfWeight(Weight(values), per_channel), "");
}

TEST(ErrorCause, FewBits) {
  const WeightPlan int4{.format = {DataType::kInt4, true}, .axis = 0};
  EXPECT_EQ(CauseOfWeight(Weight(Normal(64, 1)), int4), "weights of 4 bits");
  const WeightPlan int3{.format = {.type = DataType::kInt4, .symmetric = true, .bits = 3}, .axis = 0};
  EXPECT_EQ(CauseOfWeight(Weight(Normal(64, 1)), int3), "weights of 3 bits");
}

}  // namespace
}  // namespace preon
