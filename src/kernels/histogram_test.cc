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
