// Pixels: a decoded picture of 8-bit samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace preon {

/// Larger pictures are taken for an attack on memory; Pillow's limit.
inline constexpr int64_t kMaxPixels = 178956970;

struct PictureSize {
  int width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
  std::string ToString() const { return std::to_string(width) + "x" + std::to_string(height); }
};

/// Row-major, channels interleaved; 1 channel is grey, 3 are RGB (or BGR once asked for).
struct Pixels {
  PictureSize size;
  int channels = 0;
  std::vector<uint8_t> data;

  Pixels() = default;
  Pixels(PictureSize picture_size, int channel_count, uint8_t fill = 0)
      : size(picture_size),
        channels(channel_count),
        data(static_cast<size_t>(size.width) * static_cast<size_t>(size.height) * static_cast<size_t>(channels), fill) {
  }

  size_t row_bytes() const { return static_cast<size_t>(size.width) * static_cast<size_t>(channels); }
  uint8_t* row(int y) { return data.data() + static_cast<size_t>(y) * row_bytes(); }
  const uint8_t* row(int y) const { return data.data() + static_cast<size_t>(y) * row_bytes(); }
};

}  // namespace preon
