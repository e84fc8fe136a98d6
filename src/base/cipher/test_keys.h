// What the tests of ciphers share.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/cipher/cipher_key.h"

namespace preon {

/// 32 times this byte.
inline CipherKey KeyOf(unsigned char byte) {
  CipherKey key;
  std::fill_n(key.key.data(), 32, byte);
  return key;
}

inline std::string FromHex(std::string_view digits) {
  std::string bytes;
  for (size_t place = 0; place < digits.size(); place += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(place, 2)), nullptr, 16));
  return bytes;
}

}  // namespace preon
