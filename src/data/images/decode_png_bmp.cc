#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "data/files/little_endian.h"
#include "data/images/decode_image.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS (1 << 20)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace preon {
namespace {

Status Unreadable(const char* why) {
  return Error(ErrorId::kImageUnreadable,
               "a damaged PNG or BMP image, or cut short: ", why == nullptr ? "no reason given" : why);
}

Status TooLarge(int64_t width, int64_t height) {
  return Error(ErrorId::kImageUnreadable, "an image of ", width, " x ", height, " pixels; wanted at most ", kMaxPixels);
}

// Of the first chunk, which the decoder refuses to read where it is too large; 0 x 0 of anything else.
std::pair<int64_t, int64_t> PngSize(std::span<const std::byte> bytes) {
  constexpr size_t kAtWidth = 16, kAtHeight = 20;
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  if (bytes.size() < kAtHeight + 4 || std::memcmp(bytes.data(), kSignature.data(), kSignature.size()) != 0) return {};
  const auto big_endian = [&](size_t at) {
    int64_t value = 0;
    for (size_t index = at; index < at + 4; ++index) value = value << 8 | std::to_integer<int64_t>(bytes[index]);
    return value;
  };
  return {big_endian(kAtWidth), big_endian(kAtHeight)};
}

// The decoder takes what lies behind the end of a BMP file for black. Source: BITMAPINFOHEADER, BITMAPCOREHEADER.
bool IsShortBmp(std::span<const std::byte> bytes, int width, int height) {
  constexpr size_t kHeaderBytes = 30;
  if (bytes[0] != std::byte{'B'} || bytes.size() < kHeaderBytes) return bytes.size() < kHeaderBytes;
  const bool core_header = LittleEndian<uint32_t>(bytes, 14) == 12;
  const uint64_t pixel_bits = LittleEndian<uint16_t>(bytes, core_header ? 24 : 28);
  const uint64_t row_bytes = (static_cast<uint64_t>(width) * pixel_bits + 31) / 32 * 4;
  return bytes.size() < LittleEndian<uint32_t>(bytes, 10) + row_bytes * static_cast<uint64_t>(height);
}

}  // namespace

Result<Pixels> DecodePngOrBmp(std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return Unreadable("above 2 GB");
  const stbi_uc* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size_bytes = static_cast<int>(bytes.size());
  int width = 0, height = 0, stored_channels = 0;
  if (const auto [png_width, png_height] = PngSize(bytes); static_cast<double>(png_width) * png_height > kMaxPixels)
    return TooLarge(png_width, png_height);
  if (stbi_info_from_memory(data, size_bytes, &width, &height, &stored_channels) == 0)
    return Unreadable(stbi_failure_reason());
  if (width < 1 || height < 1) return Unreadable("no pixels");
  if (int64_t{width} * height > kMaxPixels) return TooLarge(width, height);
  if (IsShortBmp(bytes, width, height)) return Unreadable("pixels are missing");
  const int channels = stored_channels <= 2 ? 1 : 3;  // transparency is dropped
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(data, size_bytes, &width, &height, &stored_channels, channels), stbi_image_free);
  if (decoded == nullptr) return Unreadable(stbi_failure_reason());
  Pixels pixels({width, height}, channels);
  std::memcpy(pixels.data.data(), decoded.get(), pixels.data.size());
  return pixels;
}

}  // namespace preon
