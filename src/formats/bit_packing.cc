#include "formats/bit_packing.h"

#include "base/check.h"

namespace preon {

std::vector<std::byte> PackBits(std::span<const uint32_t> codes, int bits) {
  if (codes.empty()) return {};  // of a type without such codes: the number of bits may be any
  const auto size_bytes = static_cast<size_t>(PackedBitsSize(static_cast<int64_t>(codes.size()), bits));
  std::vector<std::byte> packed(size_bytes);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t waiting = 0;
  int waiting_bits = 0;
  size_t byte = 0;
  for (const uint32_t code : codes) {
    waiting |= (code & mask) << waiting_bits;
    for (waiting_bits += bits; waiting_bits >= 8; waiting_bits -= 8, waiting >>= 8) {
      packed[byte++] = static_cast<std::byte>(waiting);
    }
  }
  if (waiting_bits > 0) packed[byte] = static_cast<std::byte>(waiting);
  return packed;
}

std::vector<uint32_t> UnpackBits(std::span<const std::byte> packed, size_t count, int bits) {
  PREON_CHECK(packed.size() == static_cast<size_t>(PackedBitsSize(static_cast<int64_t>(count), bits)));
  std::vector<uint32_t> codes(count);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t waiting = 0;
  int waiting_bits = 0;
  size_t byte = 0;
  for (uint32_t& code : codes) {
    for (; waiting_bits < bits; waiting_bits += 8)
      waiting |= uint64_t{std::to_integer<uint8_t>(packed[byte++])} << waiting_bits;
    code = static_cast<uint32_t>(waiting & mask);
    waiting >>= bits;
    waiting_bits -= bits;
  }
  return codes;
}

}  // namespace preon
