// ImageLook: what the values of an image input say about how the pictures were prepared (docs/design/input-checks.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "base/tensor_spec.h"

namespace preon {

/// What was done to pixels of 0 to 255; pixel = value * factor + offset.
struct PixelScale {
  const char* name;  ///< as messages say it
  double factor, offset;
};

struct ImageLook {
  float min = 0, max = 0;
  const PixelScale* scale = nullptr;  ///< null: normalized in another way, or no pixels at all
  bool divided_twice = false;         ///< `scale` is that of pixels divided by 255 twice
  /// Values of NCHW images repeat every three elements: they are NHWC values under a shape of NCHW.
  bool interleaved = false;
};

/// Axis of the channels of an input that takes float images, [N, C, H, W] or [N, H, W, C] with 1 or 3 channels.
std::optional<size_t> ImageChannelAxis(const TensorSpec& input);

/// Looks at some values of each sample. `samples`: float images, at least one.
ImageLook LookAtImages(std::span<const Tensor> samples, size_t channel_axis);

/// One feature value per channel for values = (pixel * scale - mean) / std.
struct PixelFormula {
  double scale = 1;
  std::vector<double> mean, std;  ///< as in Preprocess
};

/// The same pictures prepared in another way.
Tensor Prepared(const Tensor& images, const PixelScale& from, const PixelFormula& to, size_t channel_axis);

}  // namespace preon
