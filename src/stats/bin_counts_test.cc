#include "stats/bin_counts.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(BinCounts, GoesOnBeyond32Bits) {
  BinCounts counts;
  counts.Add(7, 0xffffffff);
  counts.Add(9, 5);
  counts.Add(7, 1);
  EXPECT_EQ(counts[7], uint64_t{1} << 32);
  EXPECT_EQ(counts[9], 5u);
  EXPECT_EQ(counts.Total(), (uint64_t{1} << 32) + 5);
  std::vector<uint16_t> a(kBinsPerSign, 1), b(kBinsPerSign, 2);
  counts.Reserve(10, 240);
  counts.AddDense(a.data(), b.data(), 10, 8, 0);
  EXPECT_EQ(counts[7], (uint64_t{1} << 32) + 24);
  EXPECT_EQ(counts.Total(), (uint64_t{1} << 32) + 5 + 240);
}

TEST(BinCounts, AddDenseShiftsIntoWiderBins) {
  std::vector<uint16_t> a(kBinsPerSign), b(kBinsPerSign);
  a[0] = 1, b[1] = 2, a[2] = 4, b[15] = 8;
  BinCounts counts, whole;
  counts.Reserve(4, 45);
  whole.Reserve(1, 15);
  counts.AddDense(a.data(), b.data(), 16, 3, 2);
  EXPECT_EQ(counts[0], 21u);
  EXPECT_EQ(counts[3], 24u);
  EXPECT_EQ(counts.Total(), 45u);
  whole.AddDense(a.data(), b.data(), kBinsPerSign, 1, 12);
  EXPECT_EQ(whole[0], 15u);
}

TEST(BinCounts, CoarseningAddsNeighboursAndDropsWhatFallsBelowTheBase) {
  BinCounts counts(4);
  for (size_t bin = 0; bin < 16; ++bin) counts.Add(bin, bin);
  EXPECT_EQ(counts[3], 0u);
  counts.Coarsen(1);
  EXPECT_EQ(counts[3], 0u);
  EXPECT_EQ(counts[4], 8u + 9u);
  EXPECT_EQ(counts[7], 14u + 15u);
  EXPECT_EQ(counts[8], 0u);
  EXPECT_EQ(counts.Total(), 8u + 9 + 10 + 11 + 12 + 13 + 14 + 15);
}

TEST(BinCounts, ReadRefusesWhatWriteNeverWrites) {
  const auto read = [](std::initializer_list<uint64_t> numbers) {
    WireWriter out;
    for (const uint64_t number : numbers) out.Varint(number);
    const std::string bytes = out.Take();
    WireReader in(bytes);
    return BinCounts().Read(in);
  };
  EXPECT_TRUE(read({2, 3, 1, kBinsPerSign - 5, 9}));
  EXPECT_FALSE(read({2, 3, 1, kBinsPerSign - 4, 9})) << "beyond the last bin";
  EXPECT_FALSE(read({1, 3, 0})) << "a count of 0";
  EXPECT_FALSE(read({2, 3, ~uint64_t{0}, 0, 1})) << "the total overflows";
  EXPECT_FALSE(read({2, 3, 1})) << "cut short";
}

}  // namespace
}  // namespace preon
