#include "data/images/decode_image.h"

#include <string_view>
#include <utility>

#include "base/file_kind.h"

namespace preon {

Result<Pixels> DecodeImage(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Result<Pixels> pixels =
      Error(ErrorId::kImageUnreadable, "not a JPEG, PNG, BMP or WebP image (", KindOrSize(bytes, bytes.size()), ")");
  if (text.starts_with("\xff\xd8")) {
    pixels = DecodeJpeg(bytes);
  } else if (text.starts_with("\x89PNG") || text.starts_with("BM")) {
    pixels = DecodePngOrBmp(bytes);
  } else if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) {
    pixels = DecodeWebp(bytes);
  }
  if (!pixels.ok()) return std::move(pixels).status().WithContext(where);
  return pixels;
}

}  // namespace preon
