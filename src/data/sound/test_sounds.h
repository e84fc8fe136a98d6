// For tests: WAV files of given values.
#pragma once

#include <string>
#include <vector>

#include "data/files/test_files.h"

namespace preon::test {

/// A WAV file of coding 1 (integers) or 3 (floats) with these bytes of sound.
inline std::string Wav(uint16_t coding, uint16_t bits, uint16_t channels, const std::string& sound,
                       uint32_t rate_hz = 16000) {
  const auto u16 = [](int value) { return Raw(static_cast<uint16_t>(value)); };
  const auto u32 = [](size_t value) { return Raw(static_cast<uint32_t>(value)); };
  const int frame_bytes = bits / 8 * channels;
  const std::string format = u16(coding) + u16(channels) + u32(rate_hz) +
                             u32(rate_hz * static_cast<size_t>(frame_bytes)) + u16(frame_bytes) + u16(bits);
  return "RIFF" + u32(36 + sound.size()) + "WAVEfmt " + u32(format.size()) + format + "data" + u32(sound.size()) +
         sound;
}

/// 16-bit integers, as most files have them.
inline std::string Wav(const std::vector<int16_t>& values, uint16_t channels = 1, uint32_t rate_hz = 16000) {
  return Wav(1, 16, channels, RawAll(values), rate_hz);
}

}  // namespace preon::test
