// Compact bytes of sketches: base-128 variable-length integers and raw floats, little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace preon {

/// Signed numbers near 0 as small unsigned ones.
inline uint64_t ZigZag(int64_t number) {
  return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
}
inline int64_t UnZigZag(uint64_t number) { return static_cast<int64_t>(number >> 1 ^ (~(number & 1) + 1)); }

class WireWriter {
 public:
  void Varint(uint64_t value) {
    if (value < 0x80) return bytes_.push_back(static_cast<char>(value));
    char digits[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) digits[size++] = static_cast<char>(value | 0x80);
    digits[size++] = static_cast<char>(value);
    bytes_.append(digits, size);
  }
  void Float(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    char bytes[sizeof(bits)];
    for (size_t i = 0; i < sizeof(bits); ++i) bytes[i] = static_cast<char>(bits >> 8 * i);
    bytes_.append(bytes, sizeof(bits));
  }
  /// Preceded by their number.
  void Bytes(std::string_view bytes) {
    Varint(bytes.size());
    bytes_.append(bytes);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what WireWriter wrote. After the first read beyond the end, or a number that is longer than it has to be, ok()
/// is false for good and everything reads as 0.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Varint() {
    if (ok_ && !bytes_.empty() && (bytes_.front() & 0x80) == 0) return Byte();
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Byte();
      if (shift == 63 && byte > 1) break;
      if (shift > 0 && byte == 0) break;  // a shorter form of the number is the only one
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }
  float Float() {
    uint32_t bits = 0;
    for (int shift = 0; shift < 32; shift += 8) bits |= static_cast<uint32_t>(Byte()) << shift;
    return ok_ ? std::bit_cast<float>(bits) : 0.0f;
  }
  /// Points into the bytes that are read.
  std::string_view Bytes() {
    const uint64_t size = Varint();
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    const std::string_view bytes = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return bytes;
  }
  bool ok() const { return ok_; }
  size_t left() const { return ok_ ? bytes_.size() : 0; }
  bool AtEnd() const { return ok_ && bytes_.empty(); }

 private:
  uint8_t Byte() {
    if (bytes_.empty()) ok_ = false;
    if (!ok_) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace preon
