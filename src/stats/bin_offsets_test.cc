#include "stats/bin_offsets.h"

#include <gtest/gtest.h>

#include "stats/sketch_testing.h"
#include "stats/tensor_histogram.h"

namespace preon {
namespace {

constexpr SketchConfig kExactSketch{.mode = SketchMode::kExact};

/// Mean of the raw values in each bin of `like`, in double.
std::vector<double> BruteForceMeans(const std::vector<float>& values, const Histogram& like) {
  std::vector<double> sums(like.counts.size());
  const auto zero_bin = static_cast<ptrdiff_t>(-like.lower_edge / like.width);
  for (const float value : values) {
    if (value == 0) continue;
    const auto magnitude_bin = static_cast<ptrdiff_t>(std::floor(std::fabs(static_cast<double>(value)) / like.width));
    sums.at(static_cast<size_t>(value > 0 ? zero_bin + magnitude_bin : zero_bin - 1 - magnitude_bin)) += value;
  }
  for (size_t bin = 0; bin < sums.size(); ++bin) sums[bin] /= like.counts[bin];
  return sums;
}

TEST(BinOffsets, MeansAreThoseOfTheRawValues) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    // The second half is wider, so that bins are joined on the way.
    std::vector<float> values = SketchTestData(60000, seed);
    for (size_t i = values.size() / 2; i < values.size(); ++i) values[i] *= 50;
    TensorSketch sketch(kExactSketch);
    sketch.Update(std::span(values).first(values.size() / 2));
    sketch.Update(std::span(values).last(values.size() / 2));
    const Histogram histogram = sketch.ReadHistogram();
    ASSERT_EQ(histogram.counts, BruteForceCounts(values, histogram));
    const std::vector<double> wanted = BruteForceMeans(values, histogram);
    ASSERT_EQ(histogram.means.size(), wanted.size());
    size_t checked = 0;
    for (size_t bin = 0; bin < wanted.size(); ++bin) {
      const double low = histogram.lower_edge + static_cast<double>(bin) * histogram.width;
      const bool next_to_zero = low == 0 || low == -histogram.width;
      if (histogram.counts[bin] == 0 || next_to_zero) {
        ASSERT_EQ(histogram.means[bin], low + histogram.width / 2);
        continue;
      }
      // 20 significant bits are 8 below those of the bin's number in the outermost bins.
      ASSERT_NEAR(histogram.means[bin], wanted[bin], histogram.width / 256) << seed << ' ' << bin;
      ++checked;
    }
    EXPECT_GT(checked, 100u);
  }
}

TEST(BinOffsets, AreOfExactModeOnly) {
  TensorSketch sketch;
  sketch.Update(SketchTestData(10000, 1));
  EXPECT_TRUE(sketch.ReadHistogram().means.empty());
}

// Counts, not bytes, decide what widening does: 2 values in bin 5 and 3 in bin 4, at half their former offsets, are in
// bin 2 then, those of bin 5 half a bin higher.
TEST(BinOffsets, JoiningBinsMovesTheUpperOnesByHalfABin) {
  constexpr uint64_t kOne = uint64_t{1} << kFineBits;
  TensorHistogram histogram;
  histogram.WidenTo(0);
  histogram.bulk(false).Add(4, 3);
  histogram.bulk(false).Add(5, 2);
  histogram.bulk(false).Add(1, 7);
  BinOffsets offsets;
  offsets.Reserve(false, 6);
  offsets.AddReserved(false, 4, 3, kOne, 0);
  offsets.AddReserved(false, 5, 2, kOne / 2, 0);
  offsets.AddReserved(false, 1, 7, kOne, 0);
  offsets.WidenTo(1, histogram);
  histogram.WidenTo(1);
  WireWriter out;
  offsets.Write(out, histogram);
  const std::string bytes = out.Take();
  WireReader in(bytes);
  EXPECT_EQ(in.Varint(), (kOne + kOne / 2 + 2 * kOne) / 2 / 2) << "bin 2; its offsets end with a zero bit";
  EXPECT_TRUE(in.AtEnd()) << "bin 0 has none";
}

TEST(BinOffsets, ParseRefusesAnOffsetBeyondItsBin) {
  TensorHistogram histogram;
  histogram.WidenTo(0);
  histogram.bulk(true).Add(3, 2);
  const uint64_t largest = (uint64_t{1} << (kFineBits - 1)) - 1;  // in bin 3
  for (const uint64_t sum : {2 * largest, 2 * largest + 1}) {
    WireWriter out;
    out.Varint(sum);
    const std::string bytes = out.Take();
    WireReader in(bytes);
    EXPECT_EQ(BinOffsets().Parse(in, histogram), sum == 2 * largest);
  }
}

}  // namespace
}  // namespace preon
