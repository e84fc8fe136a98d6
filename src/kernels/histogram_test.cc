#include "kernels/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
constexpr uint16_t kUntouched = 0xffff;

std::vector<uint16_t> Bins(const float* x, size_t count, float inv_width) {
  std::vector<uint16_t> indices(count + kIndexSlack + 8, kUntouched);
  const size_t kept = BinIndices(x, count, inv_width, indices.data());
  for (size_t i = count + kIndexSlack; i < indices.size(); ++i)
    EXPECT_EQ(indices[i], kUntouched) << "written beyond the slack";
  indices.resize(kept);
  return indices;
}

std::vector<uint16_t> ReferenceBins(const float* x, size_t count, float inv_width) {
  std::vector<uint16_t> indices(count);
  indices.resize(reference::BinIndices(x, count, inv_width, indices.data()));
  return indices;
}

TEST(BinIndices, EveryTargetGivesTheReferencesIndices) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(2100)) {
      for (size_t offset = 0; offset < (length < 100 ? 16 : 2); ++offset) {
        const MisalignedFloats x(RandomFloats(length, static_cast<uint32_t>(length + offset)), offset);
        ASSERT_EQ(Bins(x.data(), length, 256), ReferenceBins(x.data(), length, 256))
            << target << " length " << length << " offset " << offset;
      }
    }
  });
}

std::vector<uint32_t> FineWords(const float* x, size_t count, float inv_width) {
  std::vector<uint32_t> words(count + kIndexSlack + 8, 0xffffffff);
  const size_t kept = FineBins(x, count, inv_width, words.data());
  for (size_t i = count + kIndexSlack; i < words.size(); ++i)
    EXPECT_EQ(words[i], 0xffffffff) << "written beyond the slack";
  words.resize(kept);
  return words;
}

TEST(FineBins, EveryTargetGivesTheReferencesWordsAndTheSameBins) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(2100)) {
      for (size_t offset = 0; offset < (length < 100 ? 16 : 2); ++offset) {
        const MisalignedFloats x(RandomFloats(length, static_cast<uint32_t>(length + offset)), offset);
        const std::vector<uint32_t> words = FineWords(x.data(), length, 256);
        std::vector<uint32_t> wanted(length);
        wanted.resize(reference::FineBins(x.data(), length, 256, wanted.data()));
        ASSERT_EQ(words, wanted) << target << " length " << length << " offset " << offset;
        const std::vector<uint16_t> bins = ReferenceBins(x.data(), length, 256);
        ASSERT_EQ(words.size(), bins.size());
        for (size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i] >> kFineBits, bins[i]) << target << ' ' << i;
      }
    }
  });
}

TEST(FineBins, OffsetsStayIntegersInWiderBins) {
  const std::vector<float> x = RandomFloats(5000, 3);
  const std::vector<uint32_t> fine = FineWords(x.data(), x.size(), 512), coarse = FineWords(x.data(), x.size(), 256);
  ASSERT_EQ(fine.size(), coarse.size());
  size_t checked = 0;
  for (size_t i = 0; i < fine.size(); ++i) {
    const uint32_t magnitude = fine[i] & 0x7fffffff;
    if ((magnitude >> kFineBits) < 2) continue;
    ASSERT_EQ(magnitude % 2, 0u);
    ASSERT_EQ(coarse[i] & 0x7fffffff, magnitude / 2);
    ++checked;
  }
  EXPECT_GT(checked, 1000u);
}

TEST(FineBins, ExtremesOfTheExponent) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> huge = {Limits::max(), Limits::lowest(), kSmallest, -kSmallest};
  const std::vector<float> tiny = {0x1p-114f * 0.999f, 0x1.8p-126f, -0x1p-125f, kSmallest};
  ForEachKernelTarget([&](const std::string& target) {
    EXPECT_EQ(FineWords(huge.data(), huge.size(), 0x1p-116f),
              (std::vector<uint32_t>{0x7ffff800, 0xfffff800, 0, 0x80000000}))
        << target;
    const std::vector<uint32_t> words = FineWords(tiny.data(), tiny.size(), 0x1p126f);
    EXPECT_EQ(words[0] >> kFineBits, 4091u) << target;
    EXPECT_EQ(words[1], 3u << (kFineBits - 1)) << target;
    EXPECT_EQ(words[2], 0x80000000 | 2u << kFineBits) << target;
    EXPECT_EQ(words[3] >> kFineBits, 0u) << target;
  });
}

TEST(BinIndices, BinsAreClosedTowardsZeroOnBothSides) {
  const std::vector<float> x = {
      1.0f, std::nextafter(1.0f, 0.0f), -1.0f, std::nextafter(-1.0f, 0.0f), 0.25f, -0.25f, 0.0f, -0.0f};
  ForEachKernelTarget([&](const std::string& target) {
    EXPECT_EQ(Bins(x.data(), x.size(), 4),
              (std::vector<uint16_t>{4, 3, kBinsPerSign + 4, kBinsPerSign + 3, 1, kBinsPerSign + 1}))
        << target;
  });
}

TEST(BinIndices, ExtremesOfTheExponent) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> huge = {Limits::max(),  Limits::lowest(), Limits::min(),
                                   -Limits::min(), kSmallest,        -kSmallest};
  const std::vector<float> tiny = {0x1p-114f * 0.999f, -kSmallest, kSmallest, 0x1p-126f, -0x1p-125f};
  ForEachKernelTarget([&](const std::string& target) {
    EXPECT_EQ(Bins(huge.data(), huge.size(), 0x1p-116f),
              (std::vector<uint16_t>{4095, kBinsPerSign + 4095, 0, kBinsPerSign, 0, kBinsPerSign}))
        << target;
    EXPECT_EQ(Bins(tiny.data(), tiny.size(), 0x1p126f),
              (std::vector<uint16_t>{4091, kBinsPerSign, 0, 1, kBinsPerSign + 2}))
        << target;
  });
}

TEST(BinIndices, DoublingTheWidthHalvesTheIndex) {
  const std::vector<float> x = RandomFloats(5000, 3);
  const auto fine = ReferenceBins(x.data(), x.size(), 512);
  const auto coarse = ReferenceBins(x.data(), x.size(), 256);
  ASSERT_EQ(fine.size(), coarse.size());
  for (size_t i = 0; i < fine.size(); ++i) {
    EXPECT_EQ(coarse[i] % kBinsPerSign, fine[i] % kBinsPerSign / 2);
    EXPECT_EQ(coarse[i] / kBinsPerSign, fine[i] / kBinsPerSign);
  }
}

TEST(TailBinIndices, EveryTargetFindsTheTailsElements) {
  constexpr float kInverseWidth = 512;
  constexpr float kBound = kTailBin / kInverseWidth;
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(kMaxRun)) {
      const MisalignedFloats x(RandomFloats(length, static_cast<uint32_t>(length)), length % 16);
      std::vector<uint16_t> wanted;
      for (const uint16_t index : ReferenceBins(x.data(), length, kInverseWidth)) {
        if (index % kBinsPerSign >= kTailBin) wanted.push_back(static_cast<uint16_t>(kBins + index));
      }
      const RunGroups flagged = ComputeRunStats(x.data(), length, kBound).tail;
      RunGroups all{};
      for (size_t group = 0; group * kStatLanes < length; ++group) all[group / 64] |= uint64_t{1} << (group % 64);
      for (const RunGroups& groups : {flagged, all}) {
        std::vector<uint16_t> got(length + kIndexSlack), reference(length);
        got.resize(TailBinIndices(x.data(), length, groups, kInverseWidth, got.data()));
        ASSERT_EQ(got, wanted) << target << " length " << length;
        reference.resize(reference::TailBinIndices(x.data(), length, groups, kInverseWidth, reference.data()));
        ASSERT_EQ(reference, wanted) << " length " << length;
      }
    }
  });
}

TEST(SelectLarge, EveryTargetGivesTheReferencesValues) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(2100)) {
      for (const float bound : {kSmallest, 0.5f, 2.5f, 100.0f}) {
        const MisalignedFloats x(RandomFloats(length, static_cast<uint32_t>(length)), length % 16);
        std::vector<float> got(length + kIndexSlack), wanted(length);
        got.resize(SelectLarge(x.data(), length, bound, got.data()));
        wanted.resize(reference::SelectLarge(x.data(), length, bound, wanted.data()));
        ASSERT_EQ(got, wanted) << target << " length " << length << " bound " << bound;
      }
    }
  });
}

TEST(CountIndices, CountsEachIndexOnce) {
  std::mt19937 random(5);
  for (const size_t length : {0, 1, 3, 4, 5, 1000}) {
    std::vector<uint16_t> indices(length);
    std::vector<int> wanted(kBins);
    for (uint16_t& index : indices) ++wanted[index = random() % 2 ? 17 : random() % kBins];
    static uint16_t counts[2][kBins];
    for (auto& half : counts) std::fill(std::begin(half), std::end(half), uint16_t{0});
    CountIndices(indices.data(), length, counts[0], counts[1]);
    for (size_t bin = 0; bin < kBins; ++bin) ASSERT_EQ(counts[0][bin] + counts[1][bin], wanted[bin]);
  }
}

TEST(FoldCounts, EveryTargetGivesTheReferencesCounts) {
  std::mt19937 random(6);
  ForEachKernelTarget([&](const std::string& target) {
    for (const size_t length : KernelTestLengths(600)) {
      std::vector<uint16_t> a(length), b(length);
      std::vector<uint32_t> total(length + 1, 1000), wanted(length + 1, 1000);
      for (size_t i = 0; i < length; ++i)
        a[i] = static_cast<uint16_t>(random()), b[i] = static_cast<uint16_t>(random());
      FoldCounts(a.data(), b.data(), length, 8, total.data());
      reference::FoldCounts(a.data(), b.data(), length, 8, wanted.data());
      ASSERT_EQ(total, wanted) << target << " length " << length;
    }
  });
}

}  // namespace
}  // namespace preon
