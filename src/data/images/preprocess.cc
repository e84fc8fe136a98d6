#include "data/images/preprocess.h"

#include <algorithm>
#include <utility>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

constexpr PreprocessPreset kPresets[] = {
    {"imagenet", "shorter side 256, centre crop 224, RGB, /255, ImageNet's mean and std (torchvision)", 224,
     "resize=256,crop=224,scale=1/255,mean=0.485:0.456:0.406,std=0.229:0.224:0.225"},
    {"imagenet-tf", "shorter side 256, centre crop 224, RGB, -1 to 1 (TensorFlow)", 224,
     "resize=256,crop=224,scale=1/127.5,mean=1"},
    {"cifar10", "shorter side 32, centre crop 32, RGB, /255, CIFAR-10's mean and std", 32,
     "resize=32,crop=32,scale=1/255,mean=0.4914:0.4822:0.4465,std=0.2023:0.1994:0.2010"},
    {"unit", "the model's size, 0 to 1", 0, "resize=input,scale=1/255"},
    {"raw", "the model's size, 0 to 255", 0, "resize=input"},
};

constexpr std::string_view kKeys[] = {"resize", "crop", "letterbox", "color", "scale", "mean", "std", "layout"};

// Each parser answers false when the text is none of what the key takes.
bool ParseTarget(std::string_view text, ResizeTarget::Kind kind_of_one, ResizeTarget& target) {
  target = {};
  if (text == "input") {
    target.kind = ResizeTarget::Kind::kInput;
    return true;
  }
  const size_t cross = text.find('x');
  const auto width = ParseNumber<int>(text.substr(0, cross));
  const auto height = cross == std::string_view::npos ? width : ParseNumber<int>(text.substr(cross + 1));
  constexpr int kMaxSide = 1 << 15;
  if (!width || !height || std::min(*width, *height) < 1 || std::max(*width, *height) > kMaxSide) return false;
  target.kind = cross == std::string_view::npos ? kind_of_one : ResizeTarget::Kind::kExact;
  target.size = {*width, *height};
  return true;
}

bool ParseValues(std::string_view text, std::vector<double>& values) {
  values.clear();
  for (const std::string& part : Split(text, ':')) {
    const std::optional<double> value = ParseRatio(part);
    if (!value) return false;
    values.push_back(*value);
  }
  return values.size() == 1 || values.size() == 3;
}

template <typename T>
bool ParseChoice(std::string_view text, std::initializer_list<std::pair<std::string_view, T>> choices, T& value) {
  for (const auto& [name, choice] : choices) {
    if (name == text) {
      value = choice;
      return true;
    }
  }
  return false;
}

Status SetKey(std::string_view key, std::string_view value, Preprocess& out) {
  std::string_view wanted;
  bool good = true;
  if (key == "resize") {
    good = ParseTarget(value, ResizeTarget::Kind::kSide, out.resize);
    wanted = "N (the shorter side), WxH or input";
  } else if (key == "crop") {
    good = ParseTarget(value, ResizeTarget::Kind::kExact, out.crop);
    wanted = "N, WxH or input";
  } else if (key == "letterbox") {
    out.letterbox = ParseNumber<int>(value);
    good = out.letterbox && *out.letterbox >= 0 && *out.letterbox <= 255;
    wanted = "the border's value, 0 to 255";
  } else if (key == "color") {
    good = ParseChoice<Color>(value, {{"rgb", Color::kRgb}, {"bgr", Color::kBgr}, {"gray", Color::kGray}}, out.color);
    wanted = "rgb, bgr or gray";
  } else if (key == "layout") {
    good = ParseChoice<Layout>(value, {{"nchw", Layout::kNchw}, {"nhwc", Layout::kNhwc}}, out.layout);
    wanted = "nchw or nhwc";
  } else if (key == "scale") {
    const std::optional<double> scale = ParseRatio(value);
    good = scale.has_value();
    out.scale = scale.value_or(1);
    wanted = "a number or A/B";
  } else if (key == "mean") {
    good = ParseValues(value, out.mean);
    wanted = "one number or three with ':' between";
  } else if (key == "std") {
    good = ParseValues(value, out.std) && std::ranges::find(out.std, 0.0) == out.std.end();
    wanted = "one number or three with ':' between, none of them 0";
  } else {
    const std::vector<std::string> known(std::begin(kKeys), std::end(kKeys));
    return Error(ErrorId::kPreprocess, "--preprocess: unknown key '", key, "'", DidYouMean(key, known),
                 " (known: ", JoinNames(known), ")");
  }
  if (!good) return Error(ErrorId::kPreprocess, "--preprocess: ", key, ": got '", value, "', wanted ", wanted);
  return Status::Ok();
}

Status SetKeys(std::span<const std::string> parts, Preprocess& out) {
  for (const std::string& part : parts) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      return Error(ErrorId::kPreprocess, "--preprocess: got '", part, "', wanted key=value");
    PREON_RETURN_IF_ERROR(
        SetKey(std::string_view(part).substr(0, equals), std::string_view(part).substr(equals + 1), out));
  }
  return Status::Ok();
}

}  // namespace

std::span<const PreprocessPreset> PreprocessPresets() { return kPresets; }

Result<Preprocess> ParsePreprocess(std::string_view text) {
  std::vector<std::string> parts = Split(text, ',');
  std::string base = "raw";
  if (parts[0].find('=') == std::string::npos) {
    base = parts[0];
    parts.erase(parts.begin());
  }
  const auto preset = std::ranges::find(kPresets, base, &PreprocessPreset::name);
  if (preset == std::end(kPresets)) {
    std::vector<std::string> known;
    for (const PreprocessPreset& row : kPresets) known.emplace_back(row.name);
    return Error(ErrorId::kPreprocess, "--preprocess: unknown preset '", base, "'", DidYouMean(base, known),
                 " (known: ", JoinNames(known), ")");
  }
  Preprocess preprocess;
  PREON_RETURN_IF_ERROR(SetKeys(Split(preset->keys, ','), preprocess));
  preprocess.preset_side = preset->side;
  preprocess.resize.from_preset = preprocess.crop.from_preset = true;
  PREON_RETURN_IF_ERROR(SetKeys(parts, preprocess));
  if (preprocess.letterbox && preprocess.crop.kind != ResizeTarget::Kind::kNone && !preprocess.crop.from_preset) {
    return Error(ErrorId::kPreprocess, "--preprocess: letterbox and crop: got both, wanted one");
  }
  return preprocess;
}

}  // namespace preon
