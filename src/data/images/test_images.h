// For tests: image files of given pixels.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <webp/encode.h>

#include <string>

#include "data/files/test_files.h"
#include "data/images/pixels.h"

namespace preon::test {

/// 24-bit BMP, rows from the bottom up.
inline std::string Bmp(const Pixels& rgb) {
  std::string rows;
  for (int y = rgb.size.height; y-- > 0;) {
    for (int x = 0; x < rgb.size.width; ++x) {
      for (int channel = 3; channel-- > 0;) rows += static_cast<char>(rgb.row(y)[x * 3 + channel]);
    }
    rows.resize((rows.size() + 3) / 4 * 4);
  }
  const auto u32 = [](int value) { return Raw(static_cast<uint32_t>(value)); };
  return "BM" + u32(54 + static_cast<int>(rows.size())) + u32(0) + u32(54) + u32(40) + u32(rgb.size.width) +
         u32(rgb.size.height) + Raw(uint16_t{1}) + Raw(uint16_t{24}) + u32(0) + u32(static_cast<int>(rows.size())) +
         u32(0) + u32(0) + u32(0) + u32(0) + rows;
}

/// PNG of colour type 0 (1 channel), 2 (3 channels), 4 (2 channels) or 6 (4 channels), 8 or 16 bits (big-endian data).
inline std::string Png(PictureSize size, int channels, int bits, const std::string& data) {
  const auto u32 = [](uint32_t value) {
    return std::string{char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
  };
  const auto chunk = [&](const std::string& typed) {
    const uLong checksum = crc32(0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size()));
    return u32(static_cast<uint32_t>(typed.size() - 4)) + typed + u32(static_cast<uint32_t>(checksum));
  };
  constexpr char kColorTypes[] = {0, 0, 4, 2, 6};
  const size_t row_bytes = data.size() / static_cast<size_t>(size.height);
  std::string rows;
  for (size_t at = 0; at < data.size(); at += row_bytes) rows += '\0' + data.substr(at, row_bytes);
  const std::string header = u32(static_cast<uint32_t>(size.width)) + u32(static_cast<uint32_t>(size.height)) +
                             std::string{static_cast<char>(bits), kColorTypes[channels], 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR" + header) +
         chunk("IDAT" + ("\x78\x9c" + Deflate(rows)) + std::string(4, '\0')) + chunk("IEND");
}

/// JPEG of best quality; `components` 1, 3 or 4 (CMYK).
inline std::string Jpeg(PictureSize size, int components, const std::vector<uint8_t>& data) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size_bytes = 0;
  jpeg_mem_dest(&info, &bytes, &size_bytes);
  info.image_width = static_cast<JDIMENSION>(size.width);
  info.image_height = static_cast<JDIMENSION>(size.height);
  info.input_components = components;
  info.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(&data[info.next_scanline * static_cast<size_t>(size.width * components)]);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(bytes), size_bytes);
  std::free(bytes);
  return file;
}

/// WebP without loss; `channels` 3 or 4 (transparency).
inline std::string Webp(PictureSize size, int channels, const std::vector<uint8_t>& data) {
  uint8_t* bytes = nullptr;
  const size_t size_bytes = (channels == 3 ? WebPEncodeLosslessRGB : WebPEncodeLosslessRGBA)(
      data.data(), size.width, size.height, size.width * channels, &bytes);
  std::string file(reinterpret_cast<char*>(bytes), size_bytes);
  WebPFree(bytes);
  return file;
}

}  // namespace preon::test
