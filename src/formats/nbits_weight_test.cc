#include "formats/nbits_weight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "formats/bit_packing.h"
#include "formats/nbits_search.h"

namespace preon {
namespace {

// Worked out by hand: one column, K = 20, blocks of 16.
constexpr float kColumn[] = {0,     0.1f,   -0.2f, 0.35f,  -0.7f, 0.8f,   -0.05f, 0.6f,   0.15f, -0.45f,
                             0.77f, -0.33f, 0.02f, -0.61f, 0.5f,  -0.12f, 0.03f,  -0.01f, 0.02f, 0.025f};

std::vector<int> BytesOf(const Tensor& tensor) {
  std::vector<int> bytes;
  for (const std::byte byte : tensor.bytes()) bytes.push_back(static_cast<int>(byte));
  return bytes;
}

TEST(EncodeNBits, DefaultGridsAreQuarks) {
  const Tensor weight = Tensor::FromFloats({20, 1}, kColumn);
  const NBitsWeight symmetric = *EncodeNBits(weight, {.bits = 4, .block_size = 16, .method = WeightMethod::kMinMax});
  EXPECT_EQ(symmetric.codes.shape(), (Shape{1, 2, 8}));
  EXPECT_THAT(BytesOf(symmetric.codes), testing::ElementsAre(0x78, 0x5A, 0x0F, 0x29, 0xD7, 0xB0, 0xE8, 0x93,  //
                                                             0xB0, 0x13, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(symmetric.scales.floats(), testing::ElementsAre(-0.100000001f, -0.00374999992f));
  EXPECT_FALSE(symmetric.zero_points);
  const NBitsWeight asymmetric =
      *EncodeNBits(weight, {.bits = 4, .block_size = 16, .symmetric = false, .method = WeightMethod::kMinMax});
  EXPECT_THAT(BytesOf(asymmetric.codes), testing::ElementsAre(0x87, 0xB5, 0xF0, 0xD7, 0x39, 0x4F, 0x17, 0x6C,  //
                                                              0x0F, 0xDC, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(asymmetric.scales.floats(), testing::ElementsAre(0.100000001f, 0.00266666664f));
  EXPECT_THAT(BytesOf(*asymmetric.zero_points), testing::ElementsAre(0x47));
}

Tensor RandomWeight(int64_t rows, int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::student_t_distribution<float> tail(4);
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (float& value : values) value = tail(random);
  return Tensor::FromFloats({rows, columns}, values);
}

// The weight that the operator computes with, float [K, N].
Tensor DecodeNBits(const NBitsWeight& encoded, int64_t rows, const NBitsOptions& options) {
  const int64_t columns = encoded.codes.shape()[0], blocks = encoded.codes.shape()[1];
  const auto part = [&](const Tensor& packed, int64_t column, int64_t count) {
    const auto bytes = static_cast<size_t>(PackedBitsSize(count, options.bits));
    return UnpackBits(packed.bytes().subspan(static_cast<size_t>(column) * bytes, bytes), static_cast<size_t>(count),
                      options.bits);
  };
  std::vector<float> weight;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const auto block = static_cast<size_t>(row / options.block_size);
      const uint32_t code = part(encoded.codes, column, blocks * options.block_size)[static_cast<size_t>(row)];
      const uint32_t zero_point =
          encoded.zero_points ? part(*encoded.zero_points, column, blocks)[block] : uint32_t{1} << (options.bits - 1);
      weight.push_back(static_cast<float>(int64_t{code} - int64_t{zero_point}) *
                       encoded.scales.floats()[static_cast<size_t>(column * blocks) + block]);
    }
  }
  return Tensor::FromFloats({rows, columns}, weight);
}

double SquaredError(const Tensor& weight, const NBitsOptions& options) {
  const Tensor decoded = DecodeNBits(*EncodeNBits(weight, options), weight.shape()[0], options);
  double error = 0;
  for (size_t i = 0; i < weight.floats().size(); ++i)
    error += std::pow(double{weight.floats()[i]} - decoded.floats()[i], 2);
  return error;
}

TEST(EncodeNBits, LeastSquaresIsNeverWorse) {
  for (const int bits : {2, 4, 8}) {
    for (const int64_t block_size : {16, 64, 256}) {
      for (const bool symmetric : {true, false}) {
        const Tensor weight = RandomWeight(300, 5, static_cast<uint32_t>(bits * block_size));
        NBitsOptions options{
            .bits = bits, .block_size = block_size, .symmetric = symmetric, .method = WeightMethod::kMinMax};
        const double minmax = SquaredError(weight, options);
        options.method = WeightMethod::kMinMse;
        const double best = SquaredError(weight, options);
        EXPECT_LT(best, minmax * (bits == 8 ? 1.0001 : 0.95)) << bits << ' ' << block_size << ' ' << symmetric;
      }
    }
  }
}

// Against a search over scales as fine as it takes.
TEST(LeastSquaresGrid, FindsTheLeastError) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const Tensor weight = RandomWeight(16, 1, seed);
    std::vector<float> values(weight.floats().begin(), weight.floats().end());
    const float sign = seed % 4 == 0 ? 1 : -1;
    if (seed % 4 < 2) std::ranges::for_each(values, [&](float& value) { value = sign * std::fabs(value); });
    for (const int bits : {2, 4}) {
      for (const bool symmetric : {true, false}) {
        const NBitsGrid minmax = MinMaxGrid(values, bits, symmetric);
        double least = GridError(values, minmax, bits);
        for (int zero_point = 0; zero_point < 1 << bits; ++zero_point) {
          if (symmetric && zero_point != 1 << (bits - 1)) continue;
          for (int step = -4000; step <= 4000; ++step) {
            const NBitsGrid grid{std::fabs(minmax.scale) * static_cast<float>(step) / 2500, zero_point};
            if (step != 0 && (symmetric || step > 0)) least = std::min(least, GridError(values, grid, bits));
          }
        }
        const double found = GridError(values, LeastSquaresGrid(values, bits, symmetric), bits);
        EXPECT_LE(found, least * (1 + 1e-6)) << "seed " << seed << ", " << bits << " bits, symmetric " << symmetric;
      }
    }
  }
}

TEST(LeastSquaresGrid, FindsTheLeastWeightedError) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const int bits : {2, 4, 8}) {
    for (const bool symmetric : {true, false}) {
      for (int block = 0; block < 20; ++block) {
        std::vector<float> values(32), importance(32);
        for (float& value : values) value = normal(random);
        for (float& counts : importance) counts = std::exp(normal(random));
        const NBitsGrid weighted = LeastSquaresGrid(values, bits, symmetric, importance);
        const double error = GridError(values, weighted, bits, importance);
        EXPECT_LE(error, GridError(values, LeastSquaresGrid(values, bits, symmetric), bits, importance) * (1 + 1e-6));
        if (bits > 4) continue;
        for (float share = 0.4f; share < 1.3f; share += 0.001f) {
          const NBitsGrid other{weighted.scale * share, weighted.zero_point};
          EXPECT_GE(GridError(values, other, bits, importance), error * (1 - 1e-6)) << share;
        }
      }
    }
  }
}

TEST(EncodeNBits, DecodesToValuesWithinHalfAStep) {
  const NBitsOptions options{.bits = 8, .block_size = 32, .symmetric = false, .method = WeightMethod::kMinMax};
  const Tensor weight = RandomWeight(70, 33, 3);
  const NBitsWeight encoded = *EncodeNBits(weight, options);
  const Tensor decoded = DecodeNBits(encoded, 70, options);
  for (int64_t row = 0; row < 70; ++row) {
    for (int64_t column = 0; column < 33; ++column) {
      const float scale = encoded.scales.floats()[static_cast<size_t>(column * 3 + row / 32)];
      EXPECT_NEAR(decoded.floats()[static_cast<size_t>(row * 33 + column)],
                  weight.floats()[static_cast<size_t>(row * 33 + column)], scale * 1.01f);
    }
  }
}

TEST(EncodeNBits, ConstantAndZeroBlocksAreExact) {
  for (const bool symmetric : {true, false}) {
    for (const float value : {0.0f, -0.75f, 3.0f, 1e-40f}) {
      const Tensor weight = Tensor::FromFloats({40, 1}, std::vector<float>(40, value));
      EXPECT_LE(SquaredError(weight, {.block_size = 16, .symmetric = symmetric}), 1e-60) << value;
    }
  }
}

TEST(EncodeNBits, CodesUnpackAndPackAgain) {
  const Tensor weight = RandomWeight(70, 5, 3);
  for (const int bits : {2, 4, 8}) {
    for (const bool symmetric : {false, true}) {
      const NBitsOptions options{.bits = bits, .block_size = 16, .symmetric = symmetric};
      const NBitsWeight encoded = *EncodeNBits(weight, options);
      const Tensor codes = UnpackNBitsCodes(encoded.codes, 70, bits);
      EXPECT_TRUE(std::ranges::equal(PackNBitsCodes(codes, 16, bits).bytes(), encoded.codes.bytes()));
      const std::vector<QuantParams> params =
          UnpackNBitsParams(encoded.scales, encoded.zero_points ? &*encoded.zero_points : nullptr, 5, bits);
      const Tensor decoded = DecodeNBits(encoded, 70, options);
      for (size_t i = 0; i < 350; ++i) {
        const QuantParams& own = params[i / 5 / 16 * 5 + i % 5];
        const double value = double{own.scale} * (double{codes.floats()[i]} - static_cast<double>(own.zero_point));
        EXPECT_NEAR(value, double{decoded.floats()[i]}, 1e-6);
      }
    }
  }
}

TEST(EncodeNBits, HalfQuadraticZeroPointsAreFloats) {
  const Tensor weight = RandomWeight(70, 5, 3);
  const NBitsWeight encoded =
      *EncodeNBits(weight, {.block_size = 32, .symmetric = false, .method = WeightMethod::kHqq});
  EXPECT_EQ(encoded.zero_points->type(), DataType::kFloat);
  EXPECT_EQ(encoded.zero_points->shape(), (Shape{15}));
  EXPECT_EQ(EncodeNBits(weight, {.method = WeightMethod::kHqq}).status().id(), ErrorId::kQuantizeFailed);
}

TEST(EncodeNBits, RefusesWhatTheOperatorDoesNotTake) {
  const Tensor weight = RandomWeight(32, 2, 1);
  EXPECT_EQ(EncodeNBits(weight, {.bits = 3}).status().id(), ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeNBits(weight, {.block_size = 8}).status().id(), ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeNBits(weight, {.block_size = 48}).status().id(), ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeNBits(weight.Reshaped({64}), {}).status().id(), ErrorId::kQuantizeFailed);
  const float bad[] = {1, NAN};
  EXPECT_EQ(EncodeNBits(Tensor::FromFloats({2, 1}, bad), {}).status().id(), ErrorId::kQuantizeFailed);
}

}  // namespace
}  // namespace preon
