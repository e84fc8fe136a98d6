// --preprocess: what is done to a picture before it feeds a model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/images/pixels.h"

namespace preon {

enum class Color { kAuto, kRgb, kBgr, kGray };  ///< kAuto: grey for one channel, else RGB
enum class Layout { kAuto, kNchw, kNhwc };      ///< kAuto: by the axis that has 1 or 3 channels

/// A size that a resize or crop aims at.
struct ResizeTarget {
  enum class Kind { kNone, kSide, kExact, kInput };
  Kind kind = Kind::kNone;
  PictureSize size;          ///< kSide: width = the shorter side; kExact: both
  bool from_preset = false;  ///< made for the preset's own size: scales with the model's
};

/// Steps in this order: colour; letterbox, or resize then crop; (value * scale - mean) / std per channel; layout.
struct Preprocess {
  ResizeTarget resize, crop;
  std::optional<int> letterbox;  ///< grey value of the border
  Color color = Color::kAuto;
  Layout layout = Layout::kAuto;
  double scale = 1;
  std::vector<double> mean, std;  ///< one value, or one per channel in the order of `color`; empty = 0 and 1
  int preset_side = 0;            ///< input side that the preset's sizes are for; 0 = none
};

struct PreprocessPreset {
  std::string_view name;
  std::string_view summary;
  int side;               ///< as Preprocess::preset_side
  std::string_view keys;  ///< what it means, in the words of --preprocess
};

/// In the order of the help text.
std::span<const PreprocessPreset> PreprocessPresets();

/// A preset's name, `key=value,…`, or both (`imagenet,color=bgr`); without a preset the base is `raw`.
/// Keys: resize=N|WxH|input, crop=N|WxH|input, letterbox=0…255, color=rgb|bgr|gray, scale=A|A/B, mean=a[:b:c],
/// std=a[:b:c], layout=nchw|nhwc. N of resize is the shorter side, of crop a square; `input` is the model's size.
/// Errors: kPreprocess naming the key.
Result<Preprocess> ParsePreprocess(std::string_view text);

}  // namespace preon
