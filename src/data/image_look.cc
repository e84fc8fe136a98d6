#include "data/image_look.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace preon {
namespace {

constexpr int64_t kMinSide = 16;  // smaller ones are feature maps and test cases
// Not a multiple of the number of channels, nor a divisor of usual widths.
constexpr size_t kStep = 7;
constexpr PixelScale kRaw{"pixels from 0 to 255", 1, 0}, kUnit{"pixels divided by 255", 255, 0},
    kSigned{"pixels scaled to -1..1", 127.5, 127.5}, kTwice{"pixels divided by 255 twice", 65025, 0};
// Pictures reach both ends of the scale, or nearly: half of it tells the scales apart.
constexpr float kHalf = 0.5f;
// Neighbours of the same channel differ by at least so much less than those of different channels.
constexpr double kNearer = 0.8;

const PixelScale* ScaleOf(float min, float max) {
  if (min < 0) return min >= -1 && min <= -kHalf && max <= 1 && max >= kHalf ? &kSigned : nullptr;
  if (max > 1) return max <= 255 && max >= 255 * kHalf ? &kRaw : nullptr;
  if (max >= kHalf) return &kUnit;
  return max > 0 && max <= 1.0f / 255 * 1.001f && max >= kHalf / 255 ? &kTwice : nullptr;
}

}  // namespace

std::optional<size_t> ImageChannelAxis(const TensorSpec& input) {
  const Shape& shape = input.shape;
  if (shape.size() != 4 || input.type != DataType::kFloat) return std::nullopt;
  const auto channels = [](int64_t size) { return size == 1 || size == 3; };
  const auto side = [](int64_t size) { return size == kDynamicDim || size >= kMinSide; };
  if (channels(shape[1]) && side(shape[2]) && side(shape[3])) return 1;
  if (channels(shape[3]) && side(shape[1]) && side(shape[2])) return 3;
  return std::nullopt;
}

ImageLook LookAtImages(std::span<const Tensor> samples, size_t channel_axis) {
  ImageLook look{.min = samples[0].floats()[0], .max = samples[0].floats()[0]};
  std::array<double, 5> apart{};  // sum of |difference| to the value so many elements further
  for (const Tensor& sample : samples) {
    const std::span<const float> values = sample.floats();
    for (size_t at = 0; at + apart.size() <= values.size(); at += kStep) {
      look.min = std::min(look.min, values[at]);
      look.max = std::max(look.max, values[at]);
      for (size_t step = 1; step < apart.size(); ++step)
        apart[step] += std::abs(static_cast<double>(values[at]) - values[at + step]);
    }
  }
  look.scale = ScaleOf(look.min, look.max);
  look.divided_twice = look.scale == &kTwice;
  look.interleaved = channel_axis == 1 && samples[0].shape()[1] == 3 && apart[3] < kNearer * apart[1] &&
                     apart[3] < kNearer * apart[2] && apart[3] < kNearer * apart[4];
  return look;
}

Tensor Prepared(const Tensor& images, const PixelScale& from, const PixelFormula& to, size_t channel_axis) {
  const Shape& shape = images.shape();
  const auto channels = static_cast<size_t>(shape[channel_axis]);
  const size_t inner = channel_axis == 1 ? static_cast<size_t>(shape[2] * shape[3]) : 1;
  const auto of = [](const std::vector<double>& values, size_t channel, double otherwise) {
    return values.empty() ? otherwise : values[values.size() == 1 ? 0 : channel];
  };
  Tensor result = Tensor::Allocate(DataType::kFloat, shape);
  const std::span<float> out = result.Mutable<float>();
  const std::span<const float> in = images.floats();
  for (size_t at = 0; at < in.size(); ++at) {
    const size_t channel = at / inner % channels;
    const double pixel = in[at] * from.factor + from.offset;
    out[at] = static_cast<float>((pixel * to.scale - of(to.mean, channel, 0)) / of(to.std, channel, 1));
  }
  return result;
}

}  // namespace preon
