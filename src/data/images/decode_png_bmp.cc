#include <cstring>
#include <limits>
#include <memory>

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
  if (stbi_info_from_memory(data, size_bytes, &width, &height, &stored_channels) == 0)
    return Unreadable(stbi_failure_reason());
  if (width < 1 || height < 1) return Unreadable("no pixels");
  if (int64_t{width} * height > kMaxPixels) return Unreadable("too many pixels");
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
