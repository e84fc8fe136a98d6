// Stored runs of Quark: where they lie, and how they write floats.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>

namespace preon {

/// The folder of the vectors; tests run in the repository's root.
inline std::filesystem::path QuarkVectors() { return "testdata/quark"; }

inline uint32_t BitsFromHex(const std::string& bits) { return static_cast<uint32_t>(std::stoul(bits, nullptr, 16)); }
inline float FloatFromHex(const std::string& bits) { return std::bit_cast<float>(BitsFromHex(bits)); }

}  // namespace preon
