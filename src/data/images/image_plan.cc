#include "data/images/image_plan.h"

#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "data/files/quoted_names.h"
#include "data/images/picture_steps.h"

namespace preon {
namespace {

bool IsChannelCount(int64_t dim) { return dim == 1 || dim == 3; }

Result<std::string> DefaultText(const std::string& text, const TensorSpec& input) {
  if (!text.empty() || input.type == DataType::kUInt8) return text.empty() ? "raw" : text;
  return Error(ErrorId::kPreprocess, "--preprocess: needed for images and a ", DataTypeName(input.type), " input ('",
               input.name, "'); wanted one of ", QuotedNames(PreprocessPresets(), &PreprocessPreset::name),
               " or key=value,…")
      .WithHint("use what the model was trained with, for example --preprocess imagenet");
}

// Rounds to even as Python does, for centre offsets equal to torchvision's.
int HalfOf(int difference) { return static_cast<int>(std::nearbyint(difference / 2.0)); }

}  // namespace

Result<ImagePlan> ImagePlan::Make(const std::string& text, const TensorSpec& input) {
  if (input.type != DataType::kFloat && input.type != DataType::kFloat16 && input.type != DataType::kUInt8) {
    return Error(ErrorId::kDataType, "--data: images can't feed '", input.name, "' of type ", DataTypeName(input.type),
                 "; wanted float, float16 or uint8");
  }
  ImagePlan plan;
  PREON_ASSIGN_OR_RETURN(const std::string steps, DefaultText(text, input));
  PREON_ASSIGN_OR_RETURN(plan.steps_, ParsePreprocess(steps));
  PREON_RETURN_IF_ERROR(plan.ResolveAxes(input));
  PREON_RETURN_IF_ERROR(plan.ResolveSizes());
  PREON_RETURN_IF_ERROR(plan.ResolveValues(input));
  return plan;
}

// Which axes are channels, height and width, and how many channels there are.
Status ImagePlan::ResolveAxes(const TensorSpec& input) {
  const Shape& shape = input.shape;
  if (shape.size() != 4) {
    return Error(ErrorId::kDataShape, "--data: images can't feed '", input.name, "' of shape ", ShapeToString(shape),
                 "; wanted [N, C, H, W] or [N, H, W, C]");
  }
  if (steps_.layout == Layout::kAuto) {
    const bool last = !IsChannelCount(shape[1]) && IsChannelCount(shape[3]);
    steps_.layout = last ? Layout::kNhwc : Layout::kNchw;
  }
  const bool nchw = steps_.layout == Layout::kNchw;
  const int64_t channels = shape[nchw ? 1 : 3];
  if (steps_.color == Color::kAuto) steps_.color = channels == 1 ? Color::kGray : Color::kRgb;
  channels_ = steps_.color == Color::kGray ? 1 : 3;
  if (channels != kDynamicDim && channels != channels_) {
    return Error(ErrorId::kDataShape, "--data: images of ", channels_, " channels can't feed '", input.name,
                 "' of shape ", ShapeToString(shape), " in layout ", nchw ? "nchw" : "nhwc")
        .WithHint("--preprocess color=… and layout=… change that");
  }
  const auto side = [&](size_t axis) { return static_cast<int>(std::clamp<int64_t>(shape[axis], 0, 1 << 15)); };
  wanted_ = {side(nchw ? 3 : 2), side(nchw ? 2 : 1)};
  return Status::Ok();
}

// Turns `input` and sizes of a preset into pixels.
Status ImagePlan::ResolveSizes() {
  const bool known = wanted_.width > 0 && wanted_.height > 0;
  ResizeTarget &resize = steps_.resize, &crop = steps_.crop;
  if (known && resize.kind == ResizeTarget::Kind::kSide && resize.from_preset) {
    const int side = std::max(wanted_.width, wanted_.height);
    resize.size.width =
        static_cast<int>(std::lround(static_cast<double>(side) * resize.size.width / steps_.preset_side));
  }
  if (known && crop.kind == ResizeTarget::Kind::kExact && crop.from_preset) crop.size = wanted_;
  for (ResizeTarget* target : {&resize, &crop}) {
    if (target->kind != ResizeTarget::Kind::kInput) continue;
    *target = known ? ResizeTarget{ResizeTarget::Kind::kExact, wanted_} : ResizeTarget{};
  }
  if (steps_.letterbox && resize.kind != ResizeTarget::Kind::kExact) resize = {ResizeTarget::Kind::kExact, wanted_};
  if (steps_.letterbox && resize.size.width * resize.size.height == 0) {
    return Error(ErrorId::kPreprocess,
                 "--preprocess: letterbox needs a size, and the model does not fix one; add resize=WxH");
  }
  if (steps_.letterbox) crop = {};
  const ResizeTarget& last = crop.kind != ResizeTarget::Kind::kNone ? crop : resize;
  if (known && last.kind == ResizeTarget::Kind::kExact && last.size != wanted_) {
    return Error(ErrorId::kPreprocess, "--preprocess: images have the size ", last.size.ToString(),
                 ", the model needs ", wanted_.ToString());
  }
  return Status::Ok();
}

// 8 bits have 256 values: each is worked out once, in double, and rounded once.
Status ImagePlan::ResolveValues(const TensorSpec& input) {
  type_ = input.type;
  for (std::vector<double>* list : {&steps_.mean, &steps_.std}) {
    if (list->empty()) list->push_back(list == &steps_.std ? 1 : 0);
    if (list->size() == 1) list->resize(static_cast<size_t>(channels_), list->front());
    if (list->size() == static_cast<size_t>(channels_)) continue;
    return Error(ErrorId::kPreprocess, "--preprocess: mean and std: got ", list->size(), " values, the picture has ",
                 channels_, " channels");
  }
  values_.resize(static_cast<size_t>(channels_));
  for (size_t channel = 0; channel < values_.size(); ++channel) {
    for (int code = 0; code < 256; ++code) {
      const double value = (code * steps_.scale - steps_.mean[channel]) / steps_.std[channel];
      if (type_ == DataType::kUInt8 && value != code) {
        return Error(ErrorId::kPreprocess, "--preprocess: '", input.name,
                     "' takes uint8: wanted scale 1, mean 0, std 1");
      }
      values_[channel][static_cast<size_t>(code)] = static_cast<float>(value);
    }
  }
  return Status::Ok();
}

Result<Pixels> ImagePlan::Arrange(const Pixels& picture, const std::string& where) const {
  Pixels pixels = ToColor(picture, steps_.color);
  const ResizeTarget &resize = steps_.resize, &crop = steps_.crop;
  if (steps_.letterbox) return Letterbox(pixels, resize.size, static_cast<uint8_t>(*steps_.letterbox));
  if (crop.kind != ResizeTarget::Kind::kExact || pixels.size != crop.size) {
    if (resize.kind == ResizeTarget::Kind::kExact) pixels = ResizeBilinear(pixels, resize.size);
    if (resize.kind == ResizeTarget::Kind::kSide) {
      const double side = resize.size.width;
      const auto [shorter, longer] = std::minmax(pixels.size.width, pixels.size.height);
      if (side * side * longer / shorter > kMaxPixels) {
        return Error(ErrorId::kPreprocess, where, ": the picture is ", pixels.size.ToString(),
                     ", too long for a shorter side of ", side);
      }
      pixels = ResizeBilinear(pixels, SizeWithShorterSide(pixels.size, resize.size.width));
    }
  }
  if (crop.kind != ResizeTarget::Kind::kExact) return pixels;
  if (pixels.size.width < crop.size.width || pixels.size.height < crop.size.height) {
    return Error(ErrorId::kPreprocess, where, ": the picture is ", pixels.size.ToString(), ", smaller than the crop ",
                 crop.size.ToString())
        .WithHint("put resize=… in front of the crop");
  }
  return Crop(pixels, HalfOf(pixels.size.width - crop.size.width), HalfOf(pixels.size.height - crop.size.height),
              crop.size);
}

Result<Tensor> ImagePlan::Apply(const Pixels& picture, const std::string& where, const TensorPool& pool) const {
  PREON_ASSIGN_OR_RETURN(const Pixels pixels, Arrange(picture, where));
  const auto [width, height] = pixels.size;
  if ((wanted_.width > 0 && width != wanted_.width) || (wanted_.height > 0 && height != wanted_.height)) {
    return Error(ErrorId::kDataShape, where, ": the picture comes out as ", pixels.size.ToString(),
                 ", the model needs ", wanted_.ToString())
        .WithHint("--preprocess resize=input stretches to the model's size");
  }
  const bool nchw = steps_.layout == Layout::kNchw;
  Tensor tensor = pool.Allocate(type_, nchw ? Shape{1, channels_, height, width} : Shape{1, height, width, channels_});
  const size_t count = pixels.data.size(), channels = static_cast<size_t>(channels_);
  const size_t pixel_step = nchw ? 1 : channels, channel_step = nchw ? count / channels : 1;
  const std::span<uint8_t> bytes = tensor.Mutable<uint8_t>();
  const std::span<float> floats = type_ == DataType::kFloat ? tensor.Mutable<float>() : std::span<float>();
  const std::span<Half> halves = type_ == DataType::kFloat16 ? tensor.Mutable<Half>() : std::span<Half>();
  for (size_t channel = 0; channel < channels; ++channel) {
    for (size_t pixel = 0; pixel < count / channels; ++pixel) {
      const uint8_t code = pixels.data[pixel * channels + channel];
      const size_t to = pixel * pixel_step + channel * channel_step;
      if (!floats.empty())
        floats[to] = values_[channel][code];
      else if (!halves.empty())
        halves[to] = Half(values_[channel][code]);
      else
        bytes[to] = code;
    }
  }
  return tensor;
}

}  // namespace preon
