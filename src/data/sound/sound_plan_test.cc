#include "data/sound/sound_plan.h"

#include <gtest/gtest.h>

#include "data/sound/test_sounds.h"

namespace preon {
namespace {

class SoundPlanTest : public ::testing::Test {
 protected:
  // Frame k of channel c is 10 * k + c.
  SoundPlanTest() {
    std::vector<int16_t> mono, stereo;
    for (int frame = 0; frame < 5; ++frame) {
      mono.push_back(static_cast<int16_t>(10 * frame));
      for (int channel = 0; channel < 2; ++channel) stereo.push_back(static_cast<int16_t>(10 * frame + channel));
    }
    mono_ = folder_.Write("mono.wav", test::Wav(mono));
    stereo_ = folder_.Write("stereo.wav", test::Wav(stereo, 2));
  }

  Result<SoundPlan> Make(const std::string& text, Shape shape, DataType type = DataType::kFloat) {
    return SoundPlan::Make(text, {"x", type, std::move(shape)});
  }
  // Values as the file has them, by scale=32768.
  std::vector<float> Window(const std::string& path, const std::string& text, Shape shape, int64_t index,
                            const Shape& wanted) {
    const Result<SoundPlan> plan = Make("scale=32768" + text, std::move(shape));
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    Result<WavFile> file = WavFile::Open(path);
    EXPECT_TRUE(plan->Check(*file).ok());
    const Result<Tensor> tensor = plan->Window(*file, index);
    EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
    EXPECT_EQ(tensor->shape(), wanted);
    return {tensor->floats().begin(), tensor->floats().end()};
  }

  test::TestFolder folder_;
  std::string mono_, stereo_;
};

TEST_F(SoundPlanTest, WindowsOfTheModelsOrTheGivenLengthElseTheWholeFile) {
  EXPECT_EQ(Window(mono_, "", {kDynamicDim, 2}, 1, {1, 2}), (std::vector<float>{20, 30}));
  EXPECT_EQ(Window(mono_, "", {kDynamicDim, 2}, 2, {1, 2}), (std::vector<float>{40, 0}));  // silence behind the end
  EXPECT_EQ(Window(mono_, ",window=3", {1, kDynamicDim}, 1, {1, 3}), (std::vector<float>{30, 40, 0}));
  EXPECT_EQ(Window(mono_, "", {1, kDynamicDim}, 0, {1, 5}), (std::vector<float>{0, 10, 20, 30, 40}));
  EXPECT_EQ(Make("", {1, 2})->CountWindows(5), 3);
  EXPECT_EQ(Make("window=5", {1, kDynamicDim})->CountWindows(5), 1);
  EXPECT_EQ(Make("", {1, kDynamicDim})->CountWindows(5), 1);
}

TEST_F(SoundPlanTest, Channels) {
  EXPECT_EQ(Window(stereo_, "", {1, 2}, 0, {1, 2}), (std::vector<float>{0.5, 10.5}));
  EXPECT_EQ(Window(stereo_, "", {1, 1, 2}, 0, {1, 1, 2}), (std::vector<float>{0.5, 10.5}));
  EXPECT_EQ(Window(stereo_, "", {1, 2, 2}, 0, {1, 2, 2}), (std::vector<float>{0, 10, 1, 11}));
  EXPECT_EQ(Window(stereo_, "", {kDynamicDim, kDynamicDim, 2}, 0, {1, 5, 2}),
            (std::vector<float>{0, 1, 10, 11, 20, 21, 30, 31, 40, 41}));
  EXPECT_EQ(Make("", {1, 2, 8})->Check(*WavFile::Open(mono_)).id(), ErrorId::kDataShape);
}

TEST_F(SoundPlanTest, Refusals) {
  for (const char* text : {"imagenet", "rate", "rate=", "rate=0", "window=-1", "window=1.5", "scale=x", "mean=1"})
    EXPECT_EQ(Make(text, {1, kDynamicDim}).status().id(), ErrorId::kPreprocess) << text;
  EXPECT_NE(Make("windo=3", {1, kDynamicDim}).status().message().find("did you mean 'window'?"), std::string::npos);
  EXPECT_EQ(Make("window=3", {1, 2}).status().id(), ErrorId::kPreprocess);
  EXPECT_EQ(Make("rate=8000", {1, 2})->Check(*WavFile::Open(mono_)).id(), ErrorId::kPreprocess);
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{1, 3, 4}, Shape{1, 1, 4, 4}})
    EXPECT_EQ(Make("", shape).status().id(), ErrorId::kDataShape) << ShapeToString(shape);
  EXPECT_EQ(Make("", {1, 2}, DataType::kInt16).status().id(), ErrorId::kDataType);
  EXPECT_EQ(Make("", {1, 2})->Check(*WavFile::Open(folder_.Write("none.wav", test::Wav({})))).id(),
            ErrorId::kDataEmpty);
}

}  // namespace
}  // namespace preon
