#include "data/images/image_plan.h"

#include <gtest/gtest.h>

#include "data/images/picture_steps.h"

namespace preon {
namespace {

TensorSpec ImageInput(Shape shape, DataType type = DataType::kFloat) { return {"image", type, std::move(shape)}; }

// Two pixels: (10, 20, 30) and (40, 50, 60).
Pixels TwoPixels() {
  Pixels picture({2, 1}, 3);
  picture.data = {10, 20, 30, 40, 50, 60};
  return picture;
}

std::vector<float> Feed(const std::string& text, const TensorSpec& input, const Pixels& picture,
                        Shape* shape = nullptr) {
  const auto plan = ImagePlan::Make(text, input);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  const auto tensor = plan->Apply(picture, "x.png");
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  if (shape != nullptr) *shape = tensor->shape();
  return {tensor->floats().begin(), tensor->floats().end()};
}

Status Refusal(const std::string& text, const TensorSpec& input, const Pixels& picture) {
  const auto plan = ImagePlan::Make(text, input);
  return plan.ok() ? plan->Apply(picture, "x.png").status() : plan.status();
}

TEST(ImagePlanTest, LayoutAndColor) {
  Shape shape;
  EXPECT_EQ(Feed("raw", ImageInput({kDynamicDim, 3, 1, 2}), TwoPixels(), &shape),
            (std::vector<float>{10, 40, 20, 50, 30, 60}));
  EXPECT_EQ(shape, (Shape{1, 3, 1, 2}));
  EXPECT_EQ(Feed("raw", ImageInput({kDynamicDim, kDynamicDim, kDynamicDim, 3}), TwoPixels(), &shape),
            (std::vector<float>{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(shape, (Shape{1, 1, 2, 3}));
  EXPECT_EQ(Feed("color=bgr", ImageInput({kDynamicDim, 3, kDynamicDim, kDynamicDim}), TwoPixels()),
            (std::vector<float>{30, 60, 20, 50, 10, 40}));
  // Pillow: Image.convert("L") of these pixels.
  EXPECT_EQ(Feed("raw", ImageInput({kDynamicDim, 1, kDynamicDim, kDynamicDim}), TwoPixels()),
            (std::vector<float>{18, 48}));
}

TEST(ImagePlanTest, ValuesAreScaledThenNormalizedInTheOrderOfTheChannels) {
  const std::vector<float> feed = Feed("color=bgr,scale=1/10,mean=1:2:3,std=2:4:8",
                                       ImageInput({kDynamicDim, kDynamicDim, kDynamicDim, 3}), TwoPixels());
  EXPECT_EQ(feed, (std::vector<float>{1, 0, -0.25, 2.5, 0.75, 0.125}));
  EXPECT_EQ(
      Feed("scale=1/127.5,mean=1", ImageInput({kDynamicDim, 1, kDynamicDim, kDynamicDim}), Pixels({1, 1}, 1, 255)),
      std::vector<float>{1});
}

TEST(ImagePlanTest, PresetSizesFollowTheModel) {
  Shape shape;
  // A picture of the model's size is taken as it is: no resize to 256 and crop.
  Pixels exact({96, 96}, 3);
  exact.data[0] = 255;
  EXPECT_EQ(Feed("imagenet,scale=1,mean=0,std=1", ImageInput({kDynamicDim, 3, 96, 96}), exact)[0], 255);
  // 96 * 256 / 224 = 110 for the shorter side, centre crop 96.
  Pixels half({220, 110}, 3);
  for (int y = 0; y < 110; ++y) std::fill_n(half.row(y) + 110 * 3, 110 * 3, uint8_t{100});
  const std::vector<float> cropped = Feed("imagenet,scale=1,mean=0,std=1", ImageInput({kDynamicDim, 3, 96, 96}), half);
  EXPECT_EQ(cropped[47], 0);
  EXPECT_EQ(cropped[48], 100);
  Feed("imagenet", ImageInput({kDynamicDim, 3, kDynamicDim, kDynamicDim}), half, &shape);
  EXPECT_EQ(shape, (Shape{1, 3, 224, 224}));
  Feed("unit", ImageInput({kDynamicDim, 3, kDynamicDim, kDynamicDim}), half, &shape);
  EXPECT_EQ(shape, (Shape{1, 3, 110, 220}));
  Feed("unit", ImageInput({kDynamicDim, 3, 7, 9}), half, &shape);
  EXPECT_EQ(shape, (Shape{1, 3, 7, 9}));
}

TEST(ImagePlanTest, LetterboxPutsThePictureAtTheUpperLeft) {
  const std::vector<float> feed = Feed("letterbox=114", ImageInput({1, 1, 4, 4}), Pixels({8, 4}, 1, 50));
  for (int at = 0; at < 16; ++at) EXPECT_EQ(feed[static_cast<size_t>(at)], at < 8 ? 50 : 114) << at;
}

TEST(ImagePlanTest, Uint8InputsTakeCodes) {
  const auto plan = ImagePlan::Make("", ImageInput({kDynamicDim, kDynamicDim, kDynamicDim, 3}, DataType::kUInt8));
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const auto tensor = plan->Apply(TwoPixels(), "x.png");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->As<uint8_t>()[5], 60);
  EXPECT_EQ(Refusal("unit", ImageInput({kDynamicDim, 3, 1, 2}, DataType::kUInt8), TwoPixels()).id(),
            ErrorId::kPreprocess);
}

TEST(ImagePlanTest, Refusals) {
  const Pixels picture = TwoPixels();
  EXPECT_EQ(Refusal("", ImageInput({kDynamicDim, 3, 1, 2}), picture).id(),
            ErrorId::kPreprocess);  // never guessed for floats
  EXPECT_EQ(Refusal("raw", ImageInput({kDynamicDim, 3, 2}), picture).id(), ErrorId::kDataShape);
  EXPECT_EQ(Refusal("raw", ImageInput({kDynamicDim, 4, 8, 8}), picture).id(), ErrorId::kDataShape);
  EXPECT_EQ(Refusal("color=gray", ImageInput({kDynamicDim, 3, 8, 8}), picture).id(), ErrorId::kDataShape);
  EXPECT_EQ(Refusal("raw", ImageInput({kDynamicDim, 3, 8, 8}, DataType::kInt64), picture).id(), ErrorId::kDataType);
  EXPECT_EQ(Refusal("crop=10", ImageInput({kDynamicDim, 3, 8, 8}), picture).id(), ErrorId::kPreprocess);
  EXPECT_EQ(Refusal("resize=4", ImageInput({kDynamicDim, 3, 8, 8}), picture).id(), ErrorId::kDataShape);
  EXPECT_EQ(Refusal("crop=8,resize=4", ImageInput({kDynamicDim, 3, 8, 8}), picture).id(), ErrorId::kPreprocess);
  EXPECT_EQ(Refusal("letterbox=0", ImageInput({kDynamicDim, 3, kDynamicDim, kDynamicDim}), picture).id(),
            ErrorId::kPreprocess);
  EXPECT_EQ(Refusal("mean=1:2:3", ImageInput({kDynamicDim, 1, kDynamicDim, kDynamicDim}), picture).id(),
            ErrorId::kPreprocess);
  EXPECT_EQ(Refusal("resize=256", ImageInput({kDynamicDim, 3, kDynamicDim, kDynamicDim}), Pixels({1 << 20, 1}, 3)).id(),
            ErrorId::kPreprocess);
}

TEST(PictureStepsTest, ShorterSideCutsTheLonger) {
  EXPECT_EQ(SizeWithShorterSide({500, 375}, 256), (PictureSize{341, 256}));  // 341.33
  EXPECT_EQ(SizeWithShorterSide({333, 500}, 256), (PictureSize{256, 384}));  // 384.38
}

}  // namespace
}  // namespace preon
