// Little-endian numbers inside file headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace preon {

/// The unsigned number in `bytes[offset, offset + sizeof(T))`; the caller has checked the bounds.
template <typename T>
T LittleEndian(std::span<const std::byte> bytes, size_t offset) {
  T value = 0;
  for (size_t byte = 0; byte < sizeof(T); ++byte) {
    value |= static_cast<T>(static_cast<T>(bytes[offset + byte]) << (8 * byte));
  }
  return value;
}

}  // namespace preon
