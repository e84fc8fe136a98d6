#include "kernels/quantize_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/status.h"
#include "kernels/kernel_testing.h"

namespace preon {
namespace {

struct NamedGrid {
  std::string name;
  BlockGrid grid;
};

BlockGrid Fixed(int64_t block_size, int magnitude_bits) {
  const int32_t q_max = (1 << magnitude_bits) - 1;
  return {.block_size = block_size, .magnitude_bits = magnitude_bits, .q_min = -q_max, .q_max = q_max};
}

BlockGrid Micro(int magnitude_bits, int64_t block_size = 16, int64_t sub_block_size = 2, int max_shift = 1) {
  BlockGrid grid = Fixed(block_size, magnitude_bits);
  grid.nan_block = true;
  grid.sub_block_size = sub_block_size;
  grid.max_shift = max_shift;
  grid.flush_denormals = true;
  return grid;
}

BlockGrid Floating(const MiniFloat& element, int64_t block_size = 32) {
  return {.block_size = block_size, .element = element};
}

/// Every rounding, sign of zero and treatment of NaN, of every family, and sizes that no vector has.
std::vector<NamedGrid> Grids() {
  std::vector<NamedGrid> bases = {{"fixed 8x7", Fixed(8, 7)},
                                  {"fixed 16x4", Fixed(16, 4)},
                                  {"fixed 32x7", Fixed(32, 7)},
                                  {"fixed 4x1", Fixed(4, 1)},
                                  {"fixed 5x3", Fixed(5, 3)},
                                  {"fixed 8x21", Fixed(8, 21)},
                                  {"fixed 8x23", Fixed(8, 23)},
                                  {"fixed 100x7", Fixed(100, 7)},
                                  {"fixed 128x4", Fixed(128, 4)},
                                  {"fixed 1x7", Fixed(1, 7)},
                                  {"micro 7", Micro(7)},
                                  {"micro 4", Micro(4)},
                                  {"micro 2", Micro(2)},
                                  {"micro sub 8 shift 3", Micro(7, 16, 8, 7)},
                                  {"micro 12 sub 3", Micro(7, 12, 3, 1)},
                                  {"micro shift 127", Micro(7, 16, 2, 127)},
                                  {"e5m2", Floating(kE5M2)},
                                  {"e4m3", Floating(kE4M3)},
                                  {"e3m2", Floating(kE3M2, 16)},
                                  {"e2m3", Floating(kE2M3)},
                                  {"e2m1", Floating(kE2M1)},
                                  {"e2m1 of 7", Floating(kE2M1, 7)}};
  bases.push_back({"int8", Fixed(32, 7)});
  bases.back().grid.q_min = -128;
  bases.push_back({"raised", Fixed(8, 7)});
  bases.back().grid.raise_exponent = true;
  bases.back().grid.q_min = -128;
  bases.push_back({"e5m2 with any scale", Floating(kE5M2)});
  bases.back().grid.min_scale_exponent = -142;
  std::vector<NamedGrid> grids;
  for (const NamedGrid& base : bases) {
    for (const Rounding rounding : {Rounding::kHalfAway, Rounding::kHalfUp, Rounding::kHalfEven}) {
      for (const ZeroSign zero_sign :
           {ZeroSign::kOfValue, ZeroSign::kPositive, ZeroSign::kOfStepQuotient, ZeroSign::kOfScaleQuotient}) {
        NamedGrid named = base;
        named.grid.rounding = rounding;
        named.grid.zero_sign = zero_sign;
        named.grid.nan_block = base.grid.nan_block || zero_sign == ZeroSign::kOfValue;
        named.name += StrCat(" rounding ", static_cast<int>(rounding), " zero ", static_cast<int>(zero_sign));
        grids.push_back(named);
      }
    }
  }
  return grids;
}

/// Blocks of very different sizes, one in eight with a value that takes the slow way, and some of zeros only.
std::vector<float> RandomValues(size_t count, uint32_t seed) {
  std::vector<float> values = RandomFloats(count, seed);
  std::mt19937 random(seed);
  for (size_t begin = 0; begin < count; begin += 16) {
    const int exponent = static_cast<int>(random() % 250) - 125, kind = static_cast<int>(random() % 8);
    for (size_t i = begin; i < std::min(begin + 16, count); ++i) {
      values[i] = kind == 7 ? 0.0f : std::ldexp(values[i], kind == 6 ? exponent : static_cast<int>(random() % 12) - 6);
      if (kind == 5) values[i] = std::round(values[i] * 16) / 16;  // ties
    }
  }
  return WithEdgeValues(values, seed, 200);
}

template <typename Run>
void ExpectSameBlocks(const std::vector<float>& x, const std::vector<float>& wanted, const std::string& where,
                      const Run& run) {
  std::vector<float> got(wanted.size(), 7.0f);
  run(got.data());
  const size_t at = FirstDifference(got, wanted);
  if (at == wanted.size()) return;
  ADD_FAILURE() << where << ": element " << at << ": " << (at < x.size() ? x[at] : 0) << " -> " << std::hexfloat
                << got[at] << ", wanted " << wanted[at];
}

TEST(QuantizeBlocks, EveryTargetGivesTheReferencesValues) {
  for (const auto& [name, grid] : Grids()) {
    ForEachKernelTarget([&, &name = name, &grid = grid](const std::string& target) {
      for (const size_t length : KernelTestLengths(600)) {
        const auto seed = static_cast<uint32_t>(length);
        const std::vector<float> values = RandomValues(length, seed);
        const MisalignedFloats x(values, length % 16);
        std::vector<float> wanted(length + 1, 7.0f);  // one more element, which must stay
        reference::QuantizeBlocks(grid, x.data(), length, wanted.data());
        ExpectSameBlocks(values, wanted, StrCat(target, ' ', name, " length ", length),
                         [&](float* out) { QuantizeBlocks(grid, x.data(), length, out); });
        ExpectSameBlocks(values, wanted, StrCat(target, ' ', name, " in place, length ", length), [&](float* out) {
          std::copy(values.begin(), values.end(), out);
          QuantizeBlocks(grid, out, length, out);
        });
      }
    });
  }
}

TEST(QuantizeBlocks, EveryMisalignment) {
  for (const BlockGrid& grid : {Fixed(8, 7), Micro(7), Floating(kE2M1), Floating(kE4M3)}) {
    ForEachKernelTarget([&](const std::string& target) {
      for (const size_t length : KernelTestLengths(65)) {
        for (size_t offset = 0; offset < 16; ++offset) {
          const std::vector<float> values = RandomValues(length, static_cast<uint32_t>(length * 16 + offset));
          const MisalignedFloats x(values, offset);
          std::vector<float> wanted(length + 1, 7.0f);
          reference::QuantizeBlocks(grid, x.data(), length, wanted.data());
          ExpectSameBlocks(values, wanted, StrCat(target, " length ", length, " offset ", offset),
                           [&](float* out) { QuantizeBlocks(grid, x.data(), length, out); });
        }
      }
    });
  }
}

TEST(QuantizeBlockColumns, EveryTargetGivesTheReferencesValues) {
  for (const auto& [name, grid] : Grids()) {
    ForEachKernelTarget([&, &name = name, &grid = grid](const std::string& target) {
      const auto block_size = static_cast<size_t>(grid.block_size);
      for (const size_t rows : {block_size, (block_size + 1) / 2}) {
        for (const size_t columns : {1, 3, 8, 15, 16, 17, 33}) {
          const size_t stride = columns + rows % 3;
          const std::vector<float> x = RandomValues(rows * stride, static_cast<uint32_t>(rows * 64 + columns));
          std::vector<float> wanted(x.size(), 7.0f);
          reference::QuantizeBlockColumns(grid, x.data(), rows, columns, stride, wanted.data());
          ExpectSameBlocks(x, wanted, StrCat(target, ' ', name, ' ', rows, 'x', columns),
                           [&](float* out) { QuantizeBlockColumns(grid, x.data(), rows, columns, stride, out); });
        }
      }
    });
  }
}

// Every exponent that the largest element of a block can have, and a block of zeros and denormals.
TEST(QuantizeBlocks, EveryExponent) {
  for (const auto& [name, grid] : Grids()) {
    std::vector<float> x;
    for (int exponent = -150; exponent <= 127; ++exponent) {
      for (int64_t i = 0; i < grid.block_size; ++i) {
        x.push_back(std::ldexp(1 + static_cast<float>(i * 37 % 64) / 64, exponent - static_cast<int>(i % 5) * (i > 0)));
        if (i % 2 == 1) x.back() = -x.back();
      }
    }
    std::vector<float> wanted(x.size());
    reference::QuantizeBlocks(grid, x.data(), x.size(), wanted.data());
    ForEachKernelTarget([&, &name = name, &grid = grid](const std::string& target) {
      ExpectSameBlocks(x, wanted, target + ' ' + name,
                       [&](float* out) { QuantizeBlocks(grid, x.data(), x.size(), out); });
    });
  }
}

TEST(Rounding, WhereTiesGo) {
  struct Row {
    double x, away, up, even;
  };
  for (const Row& row : {Row{0.5, 1, 1, 0}, Row{-0.5, -1, -0.0, -0.0}, Row{1.5, 2, 2, 2}, Row{-1.5, -2, -1, -2},
                         Row{0.49999999, 0, 0, 0}, Row{-0.50000001, -1, -1, -1}, Row{-0.0, -0.0, -0.0, -0.0}}) {
    for (const auto& [rounding, wanted] :
         {std::pair{Rounding::kHalfAway, row.away}, std::pair{Rounding::kHalfUp, row.up},
          std::pair{Rounding::kHalfEven, row.even}}) {
      const double got = reference::RoundToWhole(row.x, rounding);
      EXPECT_EQ(got, wanted) << row.x;
      EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << row.x;
    }
  }
}

}  // namespace
}  // namespace preon
