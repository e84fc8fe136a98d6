#include "data/images/resample.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Pixels Pattern(PictureSize size, int channels) {
  Pixels picture(size, channels);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int channel = 0; channel < channels; ++channel) {
        picture.row(y)[x * channels + channel] = static_cast<uint8_t>(x * x * 37 + y * 59 * (x + 1) + channel * 101);
      }
    }
  }
  return picture;
}

// Goldens: Pillow 11.3, Image.fromarray(pattern).resize(size, BILINEAR).
TEST(ResampleTest, EqualsPillow) {
  struct Case {
    PictureSize from;
    int channels;
    PictureSize to;
    std::vector<uint8_t> wanted;
  };
  const Case cases[] = {
      // Shrinks both ways.
      {{7, 5}, 1, {3, 4}, {62, 96, 130, 102, 102, 170, 134, 114, 124, 198, 176, 127}},
      // Grows in width, shrinks in height, three channels.
      {{4, 3}, 3, {6, 2}, {22, 123, 128, 52, 105, 158, 88, 109, 167, 112, 197, 85,  94,  195, 40,  70, 171, 16,
                           96, 197, 42,  83, 136, 109, 87, 81,  166, 161, 113, 134, 112, 133, 138, 45, 146, 151}},
      // A wide filter.
      {{11, 9}, 1, {2, 2}, {123, 126, 141, 139}},
      // Grows both ways.
      {{3, 2}, 1, {7, 5}, {0,   5,   21,  37, 85, 132, 148, 6,   12, 30, 49, 88, 127, 140, 30,  39, 68, 96,
                           102, 107, 109, 53, 66, 105, 143, 115, 86, 77, 59, 73, 114, 155, 118, 81, 69}},
  };
  for (const Case& row : cases) {
    const Pixels resized = ResizeBilinear(Pattern(row.from, row.channels), row.to);
    EXPECT_EQ(resized.size, row.to);
    EXPECT_EQ(resized.data, row.wanted) << row.from.ToString() << " to " << row.to.ToString();
  }
}

TEST(ResampleTest, KeepsConstantPicturesAndTheOwnSize) {
  const Pixels white({13, 9}, 3, 255);
  for (const PictureSize size : {PictureSize{1, 1}, {5, 30}, {40, 2}}) {
    EXPECT_EQ(ResizeBilinear(white, size).data, Pixels(size, 3, 255).data);
  }
  const Pixels pattern = Pattern({6, 4}, 3);
  EXPECT_EQ(ResizeBilinear(pattern, {6, 4}).data, pattern.data);
}

}  // namespace
}  // namespace preon
