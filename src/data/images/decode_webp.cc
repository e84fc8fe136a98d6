#include <webp/decode.h>

#include "data/images/decode_image.h"

namespace preon {

Result<Pixels> DecodeWebp(std::span<const std::byte> bytes) {
  const uint8_t* data = reinterpret_cast<const uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    return Error(ErrorId::kImageUnreadable, "a damaged WebP image, or cut short");
  if (features.has_animation != 0) return Error(ErrorId::kImageUnreadable, "a WebP animation, wanted a single picture");
  if (int64_t{features.width} * features.height > kMaxPixels)
    return Error(ErrorId::kImageUnreadable, features.width, " x ", features.height, " pixels are too many");
  Pixels pixels({features.width, features.height}, 3);  // transparency is dropped
  if (WebPDecodeRGBInto(data, bytes.size(), pixels.data.data(), pixels.data.size(),
                        static_cast<int>(pixels.row_bytes())) == nullptr)
    return Error(ErrorId::kImageUnreadable, "a damaged WebP image, or cut short");
  return pixels;
}

}  // namespace preon
