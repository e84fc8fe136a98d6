#include "data/images/picture_steps.h"

#include <algorithm>

namespace preon {

Pixels ToColor(const Pixels& picture, Color color) {
  const int channels = color == Color::kGray ? 1 : 3;
  if (picture.channels == channels && color != Color::kBgr) return picture;
  Pixels converted(picture.size, channels);
  uint8_t* to = converted.data.data();
  for (size_t at = 0; at < picture.data.size(); at += static_cast<size_t>(picture.channels)) {
    const uint8_t* from = &picture.data[at];
    if (picture.channels == 1) {
      std::fill_n(to, channels, *from);
    } else if (color == Color::kGray) {
      *to = static_cast<uint8_t>((from[0] * 19595 + from[1] * 38470 + from[2] * 7471 + 0x8000) >> 16);
    } else {
      std::reverse_copy(from, from + 3, to);
    }
    to += channels;
  }
  return converted;
}

Pixels Crop(const Pixels& picture, int left, int top, PictureSize size) {
  if (picture.size == size) return picture;
  Pixels cropped(size, picture.channels);
  for (int y = 0; y < size.height; ++y) {
    std::copy_n(picture.row(top + y) + left * picture.channels, cropped.row_bytes(), cropped.row(y));
  }
  return cropped;
}

PictureSize SizeWithShorterSide(PictureSize size, int side) {
  const auto longer = [&](int shorter, int other) { return static_cast<int>(int64_t{side} * other / shorter); };
  if (size.width <= size.height) return {side, longer(size.width, size.height)};
  return {longer(size.height, size.width), side};
}

Pixels Letterbox(const Pixels& picture, PictureSize size, uint8_t border) {
  const double ratio = std::min(static_cast<double>(size.width) / picture.size.width,
                                static_cast<double>(size.height) / picture.size.height);
  const auto scaled = [&](int side) { return std::max(1, static_cast<int>(side * ratio)); };
  const Pixels resized = ResizeBilinear(picture, {scaled(picture.size.width), scaled(picture.size.height)});
  Pixels boxed(size, picture.channels, border);
  for (int y = 0; y < resized.size.height; ++y) std::copy_n(resized.row(y), resized.row_bytes(), boxed.row(y));
  return boxed;
}

}  // namespace preon
