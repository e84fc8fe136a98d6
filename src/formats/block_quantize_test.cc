#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <thread>

#include "formats/block_codec.h"
#include "formats/test_blocks.h"
#include "formats/test_packed_blocks.h"

namespace preon {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): specs and comparisons

TEST(QuantizeDequantize, TiesAndSaturationOfBfp16) {
  const std::vector<float> x = {0, -0.0f, 1, 1.9921875f, -1.9921875f, 0.0078125f, -0.0078125f, 0.0234375f};
  const std::vector<float> wanted[] = {{0, -0.0f, 1, 1.984375f, -1.984375f, 0.015625f, -0.015625f, 0.03125f},
                                       {0, -0.0f, 1, 1.984375f, -1.984375f, 0.015625f, -0.0f, 0.03125f},
                                       {0, -0.0f, 1, 1.984375f, -1.984375f, 0, 0, 0.03125f}};
  for (const Rounding rounding : kRoundings) {
    ExpectSame(Rounded({.rounding = rounding, .numerics = Numerics::kCompat}, x), wanted[static_cast<size_t>(rounding)],
               StrCat("mode ", static_cast<int>(rounding)));
  }
  ExpectSame(Rounded({.numerics = Numerics::kCompat, .raise_exponent = true}, x), {0, -0.0f, 1, 2, -2, 0, 0, 0.03125f},
             "raised");
}

TEST(QuantizeDequantize, SharedMicroExponents) {
  const std::vector<float> x = {1,    1.9999f,  0.9f, -0.4f, 0.25f, 0.3f,       -0.0625f,   0.05f,
                                1.5f, -1.4375f, 0.7f, 0,     -0.0f, 0.0078125f, -1.984375f, 0.4921875f};
  ExpectSame(Rounded(Micro(16), x),
             {1, 1.984375f, 0.8984375f, -0.3984375f, 0.25f, 0.296875f, -0.0625f, 0.046875f, 1.5f, -1.4375f, 0.703125f,
              0, -0.0f, 0.0078125f, -1.984375f, 0.5f},
             "mx9");
  ExpectSame(
      Rounded(Micro(13), x),
      {1, 1.875f, 0.875f, -0.375f, 0.25f, 0.3125f, -0.0625f, 0.0625f, 1.5f, -1.5f, 0.6875f, 0, -0.0f, 0, -1.875f, 0.5f},
      "mx6");
  ExpectSame(Rounded(Micro(11), x),
             {1, 1.5f, 0.75f, -0.5f, 0.25f, 0.25f, -0.0f, 0, 1.5f, -1.5f, 0.75f, 0, -0.0f, 0, -1.5f, 0.5f}, "mx4");
}

TEST(QuantizeDequantize, OcpElements) {
  const std::vector<float> x = {0, -0.0f, 1, -1, 0.5f, 0.25f, 0.3f, -0.3f, 1.75f, 2.9f, -5, 7.9f};
  const auto compat = [&](std::optional<MiniFloat> element) {
    BlockSpec spec = Mx(element);
    spec.numerics = Numerics::kCompat;
    return Rounded(spec, x);
  };
  ExpectSame(compat(kE5M2), {0, 0, 1, -1, 0.5f, 0.25f, 0.3125f, -0.3125f, 1.75f, 3, -5, 7}, "e5m2");
  ExpectSame(compat(kE4M3), {0, 0, 1, -1, 0.5f, 0.25f, 0.3125f, -0.3125f, 1.75f, 3, -5, 7}, "e4m3");
  ExpectSame(compat(kE3M2), {0, 0, 1, -1, 0.5f, 0.25f, 0.3125f, -0.3125f, 1.75f, 3, -5, 7}, "e3m2");
  ExpectSame(compat(kE2M3), {0, 0, 1, -1, 0.5f, 0.25f, 0.25f, -0.25f, 1.75f, 3, -5, 7.5f}, "e2m3");
  ExpectSame(compat(kE2M1), {0, 0, 1, -1, 0.5f, 0, 0.5f, -0.5f, 2, 3, -4, 6}, "e2m1");
  ExpectSame(compat({}), {0, -0.0f, 1, -1, 0.5f, 0.25f, 0.3125f, -0.3125f, 1.75f, 2.875f, -5, 7.875f}, "int8");
}

TEST(QuantizeDequantize, WhereStrictIsNotCompat) {
  struct Row {
    const char* what;
    BlockSpec spec;
    std::vector<float> x, compat, strict;
  };
  const std::vector<float> nans(3, kNaN);
  for (Row row :
       {Row{"NaN in bfp", {}, {kNaN, 3, kInfinity}, {kNaN, 3, kInfinity}, nans},
        Row{"NaN in mx9", Micro(16), {kNaN, 3, 1}, nans, nans},
        Row{"infinity in mxint8", Mx({}), {-kInfinity, 3, 1}, {-kInfinity, 3, 1}, nans},
        Row{"infinity in mxfp8", Mx(kE5M2), {-kInfinity, 3, 1}, {-kInfinity, 3, 1}, nans},
        Row{"zeros of mxfp4", Mx(kE2M1), {-0.0f, -0.1f, 4}, {0, 0, 4}, {-0.0f, -0.0f, 4}},
        Row{"zeros of mxint8", Mx({}), {-0.0f, -0.001f, 1}, {-0.0f, 0, 1}, {0, 0, 1}},
        Row{"code -128", Mx({}), {-1.9999f, 1, 0}, {-2, 1, 0}, {-1.984375f, 1, 0}},
        Row{"the largest float", Mx({}), {-FLT_MAX, 0, 0}, {-kInfinity, 0, 0}, {-0x1.FCp127f, 0, 0}},
        Row{"a scale below 2^-127", Mx(kE2M1), {0x1p-127f, 0x1p-129f, 0}, {0x1p-127f, 0x1p-129f, 0}, {0x1p-127f, 0, 0}},
        Row{"one element", {.rounding = Rounding::kHalfEven}, {1.001f}, {1.001f}, {1}}}) {
    ExpectSame(Rounded(row.spec, row.x), row.strict, StrCat(row.what, ", strict"));
    row.spec.numerics = Numerics::kCompat;
    ExpectSame(Rounded(row.spec, row.x), row.compat, StrCat(row.what, ", compat"));
  }
}

TEST(QuantizeDequantize, DenormalsOfBfp16) {
  ExpectSame(Rounded({}, {0x1p-127f, 0x1p-133f, 0x1p-134f, -0x1.8p-133f, 0x1p-149f}),
             {0x1p-127f, 0x1p-133f, 0, -0x1p-132f, 0}, "multiples of 2^-133");
}

TEST(QuantizeDequantize, BFloatFirst) {
  BlockSpec spec;
  spec.bfloat_first = true;
  spec.bit_width = 24;
  // 1 + 2^-9 goes to 1 and 1 + 2^-7 stays; with 15 bits both would stay.
  ExpectSame(Rounded(spec, {0x1.008p0f, 0x1.02p0f}), {1, 0x1.02p0f}, "bfloat16");
  // Quark adds to the bits of NaN, too, and makes numbers of some.
  spec.numerics = Numerics::kCompat;
  ExpectSame(Rounded(spec, {std::bit_cast<float>(0x7F800001u), std::bit_cast<float>(0x7FFFFFFFu), 1}), {kNaN, kNaN, 1},
             "NaN stays NaN");
}

/// The block of every element found by its definition, gathered, run alone, put back.
std::vector<float> ByDefinition(const BlockSpec& spec, const Shape& shape, int64_t axis, const std::vector<float>& x) {
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t extent = shape[axis];
  std::vector<float> out(x.size());
  for (int64_t first = 0; first < static_cast<int64_t>(x.size()); ++first) {
    const int64_t row = first / inner % extent;
    if (row % spec.block_size != 0) continue;
    const int64_t rows = std::min(spec.block_size, extent - row);
    // A second, empty block behind it: the rule for tensors of one element is not meant here.
    std::vector<float> block(static_cast<size_t>(spec.block_size) * 2, 0.0f);
    for (int64_t i = 0; i < rows; ++i) block[i] = x[first + i * inner];
    block = Rounded(spec, block);
    for (int64_t i = 0; i < rows; ++i) out[first + i * inner] = block[i];
  }
  return out;
}

TEST(QuantizeDequantize, AlongEveryAxisWithShortLastBlocks) {
  for (const BlockSpec& spec : Specs()) {
    for (const Shape& shape : kShapes) {
      const auto count = static_cast<size_t>(ElementCount(shape));
      const std::vector<float> x = WithEdgeValues(RandomFloats(count, 3, 5), 4, 300);
      const auto rank = static_cast<int64_t>(shape.size());
      for (int64_t axis = 0; axis < rank; ++axis) {
        const std::vector<float> wanted = ByDefinition(spec, shape, axis, x);
        const std::string where = StrCat(ShapeToString(shape), " axis ", axis, " block ", spec.block_size);
        ExpectSame(Rounded(spec, shape, axis, x), wanted, where);
        ExpectSame(Rounded(spec, shape, axis - rank, x), wanted, where);
        std::vector<float> in_place = x;
        ASSERT_TRUE(QuantizeDequantize(spec, shape, axis, in_place.data(), in_place.data()).ok());
        ExpectSame(in_place, wanted, where + " in place");
      }
    }
  }
}

// Large enough for many tasks, in every way that work is cut up.
TEST(QuantizeDequantize, ThreadsMakeNoDifference) {
  const ParallelFor parallel{.run =
                                 [](size_t count, const std::function<void(size_t)>& task) {
                                   std::vector<std::thread> threads;
                                   for (size_t first = 0; first < 3; ++first) {
                                     threads.emplace_back([=, &task] {
                                       for (size_t i = first; i < count; i += 3) task(i);
                                     });
                                   }
                                   for (std::thread& thread : threads) thread.join();
                                 },
                             .threads = 3};
  for (const auto& [shape, axis] :
       {std::pair{Shape{300000}, 0}, std::pair{Shape{1000, 301}, 1}, std::pair{Shape{301, 1000}, 0},
        std::pair{Shape{40, 9000}, 0}, std::pair{Shape{1000, 320}, 1}}) {
    const std::vector<float> x = RandomFloats(static_cast<size_t>(ElementCount(shape)), 9);
    for (const BlockSpec& spec : {BlockSpec{}, Micro(16), Mx(kE2M1)}) {
      std::vector<float> got(x.size());
      ASSERT_TRUE(QuantizeDequantize(spec, shape, axis, x.data(), got.data(), parallel).ok());
      ExpectSame(got, Rounded(spec, shape, axis, x), ShapeToString(shape));
    }
  }
}

TEST(QuantizeDequantize, ScalarsVectorsAndNothing) {
  const float x = 1.3f;
  float out = 0;
  EXPECT_TRUE(QuantizeDequantize({}, {}, 5, &x, &out).ok()) << "the axis of a scalar doesn't matter";
  EXPECT_EQ(out, 1.296875f);
  ExpectSame(Rounded({}, {3}, 7, {1, 0.01f, 2}), Rounded({}, {3}, 0, {1, 0.01f, 2}), "nor that of a vector");
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 3}}) {
    EXPECT_TRUE(QuantizeDequantize({}, shape, 0, nullptr, nullptr).ok());
  }
}

TEST(QuantizeDequantize, AxesThatAreNone) {
  const std::vector<float> x(12, 1.0f);
  std::vector<float> out(12);
  const Shape shape = {3, 4};
  for (const int64_t axis : {int64_t{2}, int64_t{-3}, INT64_MAX, INT64_MIN}) {
    const Status status = QuantizeDequantize({}, shape, axis, x.data(), out.data());
    EXPECT_EQ(status.id(), ErrorId::kFormatAxis);
    EXPECT_THAT(status.message(), testing::HasSubstr("for shape [3, 4], wanted -2 to 1"));
    EXPECT_EQ(Encode({}, shape, axis, x.data()).status().id(), ErrorId::kFormatAxis);
    EXPECT_EQ(Decode({}, shape, axis, {}, out.data()).id(), ErrorId::kFormatAxis);
  }
}

// Attributes come from files: whatever they are, there is an error or a result.
TEST(QuantizeDequantize, AnyAttributes) {
  std::mt19937 random(11);
  const int64_t numbers[] = {INT64_MIN, -1, 0,  1,  2,  3,   4,    8,         10,       16,
                             17,        31, 32, 33, 64, 100, 1000, INT32_MAX, INT64_MAX};
  const auto any = [&] { return numbers[random() % std::size(numbers)]; };
  const char* methods[] = {"to_bfp", "to_bfp_prime", "to_bfp_prime_shared", "", "int8"};
  const char* dtypes[] = {"fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "int8", "", "to_bfp"};
  int used = 0;
  for (int round = 0; round < 20000; ++round) {
    const Numerics numerics = random() % 2 ? Numerics::kCompat : Numerics::kStrict;
    const BfpAttributes bfp{methods[random() % 5], any(), any(), any() % 4, any(), any(), any(), any() % 2};
    const MxAttributes mx{dtypes[random() % 8], any(), any() % 4};
    const Result<BlockSpec> spec = random() % 2 ? SpecOf(bfp, numerics) : SpecOf(mx, numerics);
    if (!spec.ok()) {
      EXPECT_EQ(spec.status().id(), ErrorId::kFormatAttribute);
      continue;
    }
    Shape shape;
    for (size_t rank = random() % 4; rank > 0; --rank) shape.push_back(static_cast<int64_t>(random() % 20));
    const int64_t axis = any();
    const auto count = static_cast<size_t>(ElementCount(shape));
    const std::vector<float> x = WithEdgeValues(RandomFloats(count, static_cast<uint32_t>(round)), 1, 50);
    std::vector<float> out(count);
    const Status status = QuantizeDequantize(*spec, shape, axis, x.data(), out.data());
    const auto rank = static_cast<int64_t>(shape.size());
    EXPECT_EQ(status.ok(), rank <= 1 || (axis >= -rank && axis < rank));
    if (!status.ok()) continue;
    const Result<BlockCodes> codes = Encode(*spec, shape, axis, x.data());
    if (codes.ok() && Pack(*spec, *codes).has_value()) ++used;
  }
  EXPECT_GT(used, 100);
}

}  // namespace
}  // namespace preon
