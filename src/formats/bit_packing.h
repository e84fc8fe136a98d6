// Codes of any width as bytes, one after the other from the lowest bit up. For 4 and 2 bits that is ONNX's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace preon {

/// Bytes of `count` codes of `bits` bits, 0…32; the bits behind the last one are 0.
inline int64_t PackedBitsSize(int64_t count, int bits) { return (count * bits + 7) / 8; }

/// @param codes  only their low `bits` bits count
std::vector<std::byte> PackBits(std::span<const uint32_t> codes, int bits);
/// @param packed  PackedBitsSize(count, bits) bytes
std::vector<uint32_t> UnpackBits(std::span<const std::byte> packed, size_t count, int bits);

}  // namespace preon
