#include "data/images/preprocess.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(PreprocessTest, EveryPresetParses) {
  for (const PreprocessPreset& preset : PreprocessPresets()) {
    const auto parsed = ParsePreprocess(preset.name);
    EXPECT_TRUE(parsed.ok()) << preset.name << ": " << parsed.status().ToString();
  }
}

TEST(PreprocessTest, ImagenetIsWhatItsNameSays) {
  const auto parsed = ParsePreprocess("imagenet");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->resize.kind, ResizeTarget::Kind::kSide);
  EXPECT_EQ(parsed->resize.size.width, 256);
  EXPECT_EQ(parsed->crop.size, (PictureSize{224, 224}));
  EXPECT_EQ(parsed->scale, 1.0 / 255);
  EXPECT_EQ(parsed->mean, (std::vector<double>{0.485, 0.456, 0.406}));
  EXPECT_EQ(parsed->std, (std::vector<double>{0.229, 0.224, 0.225}));
}

TEST(PreprocessTest, KeysGoOverAPresetOrRaw) {
  const auto over = ParsePreprocess("imagenet,color=bgr,resize=300x200,mean=127/255");
  ASSERT_TRUE(over.ok()) << over.status().ToString();
  EXPECT_EQ(over->color, Color::kBgr);
  EXPECT_EQ(over->resize.kind, ResizeTarget::Kind::kExact);
  EXPECT_EQ(over->resize.size, (PictureSize{300, 200}));
  EXPECT_FALSE(over->resize.from_preset);
  EXPECT_TRUE(over->crop.from_preset);
  EXPECT_EQ(over->mean, std::vector<double>{127.0 / 255});
  const auto bare = ParsePreprocess("layout=nhwc,letterbox=114");
  ASSERT_TRUE(bare.ok()) << bare.status().ToString();
  EXPECT_EQ(bare->resize.kind, ResizeTarget::Kind::kInput);
  EXPECT_EQ(bare->layout, Layout::kNhwc);
  EXPECT_EQ(bare->letterbox, 114);
  EXPECT_EQ(bare->scale, 1);
}

TEST(PreprocessTest, NamesWhatItCanNotUse) {
  const auto message = [](std::string_view text) {
    const auto parsed = ParsePreprocess(text);
    EXPECT_EQ(parsed.status().id(), ErrorId::kPreprocess) << text;
    return parsed.status().message();
  };
  EXPECT_EQ(message("imagnet"),
            "--preprocess: unknown preset 'imagnet'; did you mean 'imagenet'? (known: imagenet, imagenet-tf, "
            "cifar10, unit, raw)");
  EXPECT_NE(message("sclae=2").find("did you mean 'scale'?"), std::string::npos);
  EXPECT_EQ(message("resize=12y7"), "--preprocess: resize: got '12y7', wanted N (the shorter side), WxH or input");
  for (const char* text : {"",           "imagenet,unit", "resize=0",    "resize=1x",       "crop=-3",
                           "crop=99999", "letterbox=256", "letterbox=x", "color=blue",      "scale=1/0",
                           "scale=nan",  "mean=inf",      "scale=",      "mean=1:2",        "mean=a",
                           "std=0",      "std=1:0:1",     "layout=hwc",  "scale=1,,mean=2", "letterbox=114,crop=10"}) {
    message(text);
  }
}

}  // namespace
}  // namespace preon
