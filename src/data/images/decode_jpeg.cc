// libjpeg-turbo, as Pillow has: the same pixels to the last bit.
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <vector>

#include "data/images/decode_image.h"

namespace preon {
namespace {

// libjpeg reports by calling back; jumping out of the callback is its documented way to stop.
struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  std::jmp_buf stop;
  char message[JMSG_LENGTH_MAX];
};

void Stop(j_common_ptr info) {
  Decoder* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->stop, 1);
}

// A warning is harmless, except that the file ended early: libjpeg would fill up with grey.
void OnMessage(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) Stop(info);
}

uint8_t Multiply(uint8_t a, uint8_t b) {  // a * b / 255, rounded
  const unsigned product = static_cast<unsigned>(a) * b + 128;
  return static_cast<uint8_t>((product + (product >> 8)) >> 8);
}

// Pillow's conversion: the ink left over by black, minus what the colour takes of it.
void CmykToRgb(const uint8_t* cmyk, bool inverted, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    const uint8_t flip = inverted ? 255 : 0;
    const uint8_t light = static_cast<uint8_t>(255 - (cmyk[3] ^ flip));
    for (int channel = 0; channel < 3; ++channel) {
      rgb[channel] = static_cast<uint8_t>(light - Multiply(static_cast<uint8_t>(cmyk[channel] ^ flip), light));
    }
  }
}

// No object with a destructor may live in here: a jump would skip it.
bool Decode(Decoder& decoder, std::span<const std::byte> bytes, Pixels& pixels, std::vector<uint8_t>& cmyk_row) {
  jpeg_decompress_struct& info = decoder.info;
  if (setjmp(decoder.stop) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  if (int64_t{info.image_width} * info.image_height > kMaxPixels) {
    std::snprintf(decoder.message, sizeof(decoder.message), "%u x %u pixels are too many", info.image_width,
                  info.image_height);
    return false;
  }
  const bool cmyk = info.num_components == 4;
  if (cmyk)
    info.out_color_space = JCS_CMYK;
  else if (info.num_components == 1)
    info.out_color_space = JCS_GRAYSCALE;
  else
    info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  pixels = Pixels({static_cast<int>(info.output_width), static_cast<int>(info.output_height)},
                  info.num_components == 1 ? 1 : 3);
  if (cmyk) cmyk_row.resize(size_t{info.output_width} * 4);
  while (info.output_scanline < info.output_height) {
    uint8_t* row = pixels.row(static_cast<int>(info.output_scanline));
    JSAMPROW target = cmyk ? cmyk_row.data() : row;
    jpeg_read_scanlines(&info, &target, 1);
    // Adobe stores CMYK inverted.
    if (cmyk) CmykToRgb(cmyk_row.data(), info.saw_Adobe_marker, pixels.size.width, row);
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Result<Pixels> DecodeJpeg(std::span<const std::byte> bytes) {
  Decoder decoder = {};
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.info.client_data = &decoder;
  decoder.errors.error_exit = Stop;
  decoder.errors.emit_message = OnMessage;
  Pixels pixels;
  std::vector<uint8_t> cmyk_row;
  const bool done = Decode(decoder, bytes, pixels, cmyk_row);
  jpeg_destroy_decompress(&decoder.info);
  if (!done) return Error(ErrorId::kImageUnreadable, "a damaged JPEG image, or cut short: ", decoder.message);
  return pixels;
}

}  // namespace preon
