// JPEG, PNG, BMP and WebP files to pixels.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"
#include "data/images/pixels.h"

namespace preon {

/// Decodes by content, not by name. Grey pictures keep one channel, all others become RGB as Pillow's convert("RGB")
/// makes it: transparency is dropped, CMYK turned. 16-bit samples keep their upper byte. Orientation in EXIF is not
/// applied (as Pillow's Image.open). `where` stands in messages.
/// Errors: kImageUnreadable (no such image, cut short, more than kMaxPixels).
Result<Pixels> DecodeImage(std::span<const std::byte> bytes, const std::string& where);

/// The decoders behind it; errors come without `where`.
Result<Pixels> DecodeJpeg(std::span<const std::byte> bytes);
Result<Pixels> DecodePngOrBmp(std::span<const std::byte> bytes);
Result<Pixels> DecodeWebp(std::span<const std::byte> bytes);

}  // namespace preon
