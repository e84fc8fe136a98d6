#include "data/image_look.h"

#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

constexpr int64_t kSide = 32;

// A smooth picture of values from 0 to 1 whose channels differ.
float PixelOf(size_t channel, size_t y, size_t x) {
  const double wave = std::sin(0.2 * static_cast<double>(x) + 0.3 * static_cast<double>(y));
  return static_cast<float>(0.5 + 0.5 * (channel == 0 ? wave : channel == 1 ? -wave : 0.3 * wave));
}

Tensor Picture(bool planar, double factor = 1, double offset = 0) {
  Tensor tensor = Tensor::Allocate(DataType::kFloat, {1, 3, kSide, kSide});
  for (size_t at = 0; const size_t channel : {0, 1, 2}) {
    for (size_t y = 0; y < kSide; ++y) {
      for (size_t x = 0; x < kSide; ++x, ++at)
        tensor.Mutable<float>()[planar ? at : (y * kSide + x) * 3 + channel] =
            static_cast<float>(PixelOf(channel, y, x) * factor + offset);
    }
  }
  return tensor;
}

ImageLook LookAt(const Tensor& image) { return LookAtImages({&image, 1}, 1); }

TEST(ImageLook, KnowsHowPixelsWereScaled) {
  const auto pixel_of_one = [](const ImageLook& look, double value) {
    return look.scale == nullptr ? -1 : value * look.scale->factor + look.scale->offset;
  };
  EXPECT_DOUBLE_EQ(pixel_of_one(LookAt(Picture(true)), 1), 255);
  EXPECT_DOUBLE_EQ(pixel_of_one(LookAt(Picture(true, 255)), 255), 255);
  EXPECT_DOUBLE_EQ(pixel_of_one(LookAt(Picture(true, 2, -1)), 1), 255);
  EXPECT_FALSE(LookAt(Picture(true)).divided_twice);
  EXPECT_TRUE(LookAt(Picture(true, 1.0 / 255)).divided_twice);
  EXPECT_EQ(LookAt(Picture(true, 4, -2)).scale, nullptr);  // normalized
  EXPECT_EQ(LookAt(Picture(true, 0.1)).scale, nullptr);    // too dark to tell
  EXPECT_EQ(LookAt(Picture(true, 1000)).scale, nullptr);
}

TEST(ImageLook, SeesChannelsThatAlternate) {
  EXPECT_FALSE(LookAt(Picture(true)).interleaved);
  EXPECT_TRUE(LookAt(Picture(false)).interleaved);
  const Tensor image = Picture(false);
  EXPECT_FALSE(LookAtImages({&image, 1}, 3).interleaved);  // as the model takes them
}

TEST(ImageLook, OnlyImagesHaveAChannelAxis) {
  const auto axis = [](Shape shape) { return ImageChannelAxis({"x", DataType::kFloat, std::move(shape)}); };
  EXPECT_EQ(axis({kDynamicDim, 3, 224, 224}), 1u);
  EXPECT_EQ(axis({1, kDynamicDim, kDynamicDim, 1}), 3u);
  EXPECT_EQ(axis({1, 257, 1, 2}), std::nullopt);
  EXPECT_EQ(axis({1, 3, 8, 8}), std::nullopt);
  EXPECT_EQ(ImageChannelAxis({"x", DataType::kUInt8, {1, 3, 224, 224}}), std::nullopt);
}

TEST(ImageLook, PreparesAgain) {
  const Tensor image = Picture(true, 255);
  const Tensor prepared = Prepared(image, *LookAt(image).scale, {1.0 / 255, {0.5, 0.25, 0}, {0.5, 1, 2}}, 1);
  for (const size_t at : {size_t{5}, size_t{kSide * kSide + 5}, size_t{2 * kSide * kSide + 5}}) {
    const double mean[] = {0.5, 0.25, 0}, std[] = {0.5, 1, 2};
    const size_t channel = at / (kSide * kSide);
    EXPECT_NEAR(prepared.floats()[at], (image.floats()[at] / 255 - mean[channel]) / std[channel], 1e-6);
  }
}

}  // namespace
}  // namespace preon
