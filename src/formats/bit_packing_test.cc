#include "formats/bit_packing.h"

#include <gtest/gtest.h>

#include <random>

namespace preon {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(PackBits, NibblesAndCrumbsLieAsInOnnx) {
  const std::vector<uint32_t> nibbles = {1, 2, 3, 4, 8, 15, 15, 7}, crumbs = {0, 1, 2, 3, 3, 2, 1, 0};
  EXPECT_EQ(PackBits(nibbles, 4), Bytes({0x21, 0x43, 0xF8, 0x7F}));
  EXPECT_EQ(PackBits(crumbs, 2), Bytes({0xE4, 0x1B}));
  EXPECT_EQ(PackBits(std::vector<uint32_t>{1, 2, 3}, 4), Bytes({0x21, 0x03})) << "nothing behind the last code";
}

TEST(PackBits, SixBitsCrossBytes) {
  EXPECT_EQ(PackBits(std::vector<uint32_t>{0x3F, 0, 0x21, 1}, 6), Bytes({0x3F, 0x10, 0x06}));
}

TEST(PackBits, EveryWidthComesBack) {
  std::mt19937 random(3);
  for (int bits = 0; bits <= 32; ++bits) {
    for (const size_t count : {0, 1, 2, 7, 8, 9, 100}) {
      std::vector<uint32_t> codes(count);
      for (uint32_t& code : codes)
        code = static_cast<uint32_t>(random()) & static_cast<uint32_t>((uint64_t{1} << bits) - 1);
      const std::vector<std::byte> packed = PackBits(codes, bits);
      EXPECT_EQ(packed.size(), (count * static_cast<size_t>(bits) + 7) / 8);
      EXPECT_EQ(UnpackBits(packed, count, bits), codes) << bits << " bits";
    }
  }
}

TEST(PackBits, HighBitsDoNotCount) {
  EXPECT_EQ(PackBits(std::vector<uint32_t>{0xFFFFFFF1, 0xFFFFFFF2}, 4), Bytes({0x21}));
}

}  // namespace
}  // namespace preon
