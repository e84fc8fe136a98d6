// Parse: whole bytes come back, damaged ones are refused, nothing crashes.
#include <gtest/gtest.h>

#include "stats/sketch_testing.h"
#include "stats/tensor_sketch.h"

namespace preon {
namespace {

TensorSketch SomeSketch(SketchMode mode) {
  TensorSketch sketch({.mode = mode, .channels = 2});
  const std::vector<float> values = SketchTestData(20000, 8);
  sketch.Update(values.data(), {.samples = 1, .channels = 2, .inner = 10000});
  return sketch;
}

TEST(SketchParse, ReadsWhatSerializeWrote) {
  for (const SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
    const TensorSketch sketch = SomeSketch(mode);
    const auto again = TensorSketch::Parse(sketch.Serialize());
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(again->Serialize(), sketch.Serialize());
    EXPECT_EQ(again->ReadHistogram().counts, sketch.ReadHistogram().counts);
    EXPECT_EQ(again->mean(), sketch.mean());
    EXPECT_EQ(again->config().mode, mode);
  }
}

TEST(SketchParse, RefusesEveryTruncation) {
  for (const SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
    const std::string bytes = SomeSketch(mode).Serialize();
    for (size_t length = 0; length < bytes.size(); ++length) {
      const auto result = TensorSketch::Parse(std::string_view(bytes).substr(0, length));
      ASSERT_FALSE(result.ok()) << length;
      ASSERT_EQ(result.status().id(), ErrorId::kCalibFileMalformed);
    }
    EXPECT_EQ(TensorSketch::Parse(bytes + '\0').status().id(), ErrorId::kCalibFileMalformed);
  }
}

// A changed byte may still make a valid sketch (of other data); it must never crash, and what is accepted must be
// canonical.
TEST(SketchParse, SurvivesAnyChangedByte) {
  for (const SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
    const std::string bytes = SomeSketch(mode).Serialize();
    std::mt19937 random(11);
    size_t refused = 0;
    for (size_t round = 0; round < 3000; ++round) {
      std::string damaged = bytes;
      const size_t at = round < 200 ? round % bytes.size() : random() % bytes.size();
      damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
      const auto result = TensorSketch::Parse(damaged);
      if (!result.ok()) {
        ++refused;
        continue;
      }
      ASSERT_EQ(result->Serialize(), damaged);
      (void)result->ReadHistogram();
    }
    EXPECT_GT(refused, mode == SketchMode::kExact ? 1000u : 500u);
  }
}

TEST(SketchParse, RefusesNumbersWrittenTheLongWay) {
  std::string bytes = TensorSketch().Serialize();
  bytes[0] = static_cast<char>(0x81);
  bytes.insert(1, 1, '\0');
  EXPECT_EQ(TensorSketch::Parse(bytes).status().id(), ErrorId::kCalibFileMalformed);
}

}  // namespace
}  // namespace preon
