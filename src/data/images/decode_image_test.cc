#include "data/images/decode_image.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "data/images/test_images.h"

namespace preon {
namespace {

using test::Bmp;
using test::Jpeg;
using test::Png;
using test::Webp;

Result<Pixels> Decode(const std::string& file) { return DecodeImage(std::as_bytes(std::span(file)), "x.img"); }

Pixels Ramp(PictureSize size, int channels) {
  Pixels picture(size, channels);
  for (size_t at = 0; at < picture.data.size(); ++at) picture.data[at] = static_cast<uint8_t>(at * 5);
  return picture;
}

std::string Text(const std::vector<uint8_t>& data) { return {data.begin(), data.end()}; }

TEST(DecodeImageTest, LosslessFormats) {
  const Pixels rgb = Ramp({5, 3}, 3), grey = Ramp({5, 3}, 1);
  for (const std::string& file : {Bmp(rgb), Png(rgb.size, 3, 8, Text(rgb.data)), Webp(rgb.size, 3, rgb.data)}) {
    const auto decoded = Decode(file);
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(decoded->size, rgb.size);
    EXPECT_EQ(decoded->channels, 3);
    EXPECT_EQ(decoded->data, rgb.data);
  }
  const auto decoded = Decode(Png(grey.size, 1, 8, Text(grey.data)));
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->channels, 1);
  EXPECT_EQ(decoded->data, grey.data);
}

TEST(DecodeImageTest, TransparencyIsDroppedAnd16BitsKeepTheUpperByte) {
  const auto rgba = Decode(Png({2, 1}, 4, 8, std::string{1, 2, 3, 0, 4, 5, 6, 7}));
  ASSERT_TRUE(rgba.ok());
  EXPECT_EQ(rgba->data, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  const auto webp = Decode(Webp({2, 1}, 4, {1, 2, 3, 9, 4, 5, 6, 7}));
  ASSERT_TRUE(webp.ok());
  EXPECT_EQ(webp->data, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  const auto grey_alpha = Decode(Png({2, 1}, 2, 8, std::string{9, 0, 8, 1}));
  ASSERT_TRUE(grey_alpha.ok());
  EXPECT_EQ(grey_alpha->data, (std::vector<uint8_t>{9, 8}));
  const auto deep = Decode(Png({2, 1}, 1, 16, std::string{1, 99, 2, 99}));
  ASSERT_TRUE(deep.ok());
  EXPECT_EQ(deep->data, (std::vector<uint8_t>{1, 2}));
}

TEST(DecodeImageTest, JpegOfEveryColorSpace) {
  const auto near = [](const Result<Pixels>& decoded, const std::vector<uint8_t>& wanted) {
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    ASSERT_EQ(decoded->data.size(), wanted.size());
    for (size_t at = 0; at < wanted.size(); ++at) EXPECT_LE(std::abs(decoded->data[at] - wanted[at]), 3) << at;
  };
  near(Decode(Jpeg({8, 8}, 1, std::vector<uint8_t>(64, 77))), std::vector<uint8_t>(64, 77));
  std::vector<uint8_t> rgb, cmyk, wanted;
  for (int pixel = 0; pixel < 64; ++pixel) {
    rgb.insert(rgb.end(), {200, 50, 10});
    // Written as Adobe does, inverted: cyan 0, magenta 1/2, yellow all, black 1/5.
    cmyk.insert(cmyk.end(), {255, 128, 0, 204});
    wanted.insert(wanted.end(), {204, 102, 0});
  }
  near(Decode(Jpeg({8, 8}, 3, rgb)), rgb);
  near(Decode(Jpeg({8, 8}, 4, cmyk)), wanted);
}

TEST(DecodeImageTest, NamesAnUnreadableImage) {
  for (const std::string& file : {std::string(), std::string("GIF89a"), std::string("\xff\xd8 no jpeg"),
                                  std::string("\x89PNG no png"), std::string("RIFF\x04\0\0\0WEBP", 12)}) {
    const auto decoded = Decode(file);
    ASSERT_EQ(decoded.status().id(), ErrorId::kImageUnreadable);
    EXPECT_TRUE(decoded.status().message().starts_with("x.img: ")) << decoded.status().message();
  }
}

TEST(DecodeImageTest, RefusesPicturesWithoutPixels) {
  EXPECT_EQ(Decode(Bmp(Pixels({0, 4}, 3))).status().id(), ErrorId::kImageUnreadable);
}

TEST(DecodeImageTest, SaysThatAPictureHasTooManyPixels) {
  for (const std::string size : {std::string("\0\0\x75\x30", 4), std::string("\xff\xff\xff\xff")}) {  // 30000, 2^32 - 1
    const std::string bytes = StrCat("\x89PNG\r\n\x1a\n", std::string("\0\0\0\rIHDR", 8), size, size, "\x08\x02");
    const Status status = DecodeImage(std::as_bytes(std::span(bytes)), "large.png").status();
    EXPECT_EQ(status.id(), ErrorId::kImageUnreadable);
    EXPECT_NE(status.message().find("pixels; wanted at most 178956970"), std::string::npos) << status.message();
  }
}

TEST(DecodeImageTest, RefusesFilesCutShort) {
  const Pixels rgb = Ramp({16, 16}, 3);
  // A PNG lacks nothing but its end mark in the last 12 bytes.
  const std::pair<std::string, size_t> files[] = {{Jpeg(rgb.size, 3, rgb.data), 0},
                                                  {Bmp(rgb), 0},
                                                  {Webp(rgb.size, 3, rgb.data), 0},
                                                  {Png(rgb.size, 3, 8, Text(rgb.data)), 12}};
  for (const auto& [file, spare] : files) {
    for (size_t length = 0; length + spare < file.size(); ++length) {
      EXPECT_EQ(Decode(file.substr(0, length)).status().id(), ErrorId::kImageUnreadable)
          << length << " of " << file.size();
    }
  }
}

TEST(DecodeImageTest, SurvivesDamage) {
  const Pixels rgb = Ramp({6, 5}, 3);
  int good = 0, refused = 0;
  for (const std::string& file :
       {Jpeg(rgb.size, 3, rgb.data), Bmp(rgb), Png(rgb.size, 3, 8, Text(rgb.data)), Webp(rgb.size, 3, rgb.data)}) {
    test::Damage(file, [&](const std::string& bytes) { Decode(bytes).ok() ? ++good : ++refused; });
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace preon
