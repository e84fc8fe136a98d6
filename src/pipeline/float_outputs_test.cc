#include "pipeline/float_outputs.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Batch BatchWith(int64_t index, float value) {
  return {.feeds = {{"x", Tensor::FromFloats({2}, std::vector<float>{value, 1})}}, .samples = 1, .first_sample = index};
}

std::vector<NamedTensor> Outputs(int64_t elements) {
  return {{"y", Tensor::FromFloats({elements}, std::vector<float>(static_cast<size_t>(elements)))}};
}

TEST(FloatOutputs, AreFoundByPlaceAndFeeds) {
  FloatOutputs outputs;
  outputs.Keep(BatchWith(0, 1), Outputs(3));
  outputs.Keep(BatchWith(7, 2), Outputs(4));
  ASSERT_NE(outputs.Find(BatchWith(7, 2)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(7, 2))->front().tensor.count(), 4);
  EXPECT_EQ(outputs.Find(BatchWith(7, 3)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(0, 2)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(1, 1)), nullptr);
}

TEST(FloatOutputs, Strings) {
  const auto batch = [](const char* text) {
    return Batch{.feeds = {{"x", Tensor::FromStrings({1}, {text})}}, .samples = 1};
  };
  FloatOutputs outputs;
  outputs.Keep(batch("a"), Outputs(1));
  EXPECT_NE(outputs.Find(batch("a")), nullptr);
  EXPECT_EQ(outputs.Find(batch("b")), nullptr);
}

TEST(FloatOutputs, MemoryIsBounded) {
  FloatOutputs outputs;
  for (int64_t index = 0; index < 10; ++index) outputs.Keep(BatchWith(index, 1), Outputs(1 << 20));  // 4 MiB each
  EXPECT_NE(outputs.Find(BatchWith(3, 1)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(4, 1)), nullptr);
}

TEST(FloatOutputs, RunsAreBounded) {
  FloatOutputs outputs;
  for (int64_t index = 0; index < 300; ++index) outputs.Keep(BatchWith(index, 1), Outputs(1));
  EXPECT_NE(outputs.Find(BatchWith(255, 1)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(256, 1)), nullptr);
}

TEST(FloatOutputs, OneUseTakesNoRoomOfTheOther) {
  FloatOutputs outputs;
  for (int64_t index = 0; index < 300; ++index)
    outputs.Keep(BatchWith(index, 1), Outputs(1 << 18), FloatOutputs::Use::kSpread);  // 1 MiB each
  outputs.Keep(BatchWith(300, 1), Outputs(1));
  EXPECT_NE(outputs.Find(BatchWith(3, 1)), nullptr);
  EXPECT_EQ(outputs.Find(BatchWith(4, 1)), nullptr);
  EXPECT_NE(outputs.Find(BatchWith(300, 1)), nullptr);
}

}  // namespace
}  // namespace preon
