#include "formats/block_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <thread>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

using Family = BlockSpec::Family;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
const Rounding kRoundings[] = {Rounding::kHalfAway, Rounding::kHalfUp, Rounding::kHalfEven};

BlockSpec Mx(std::optional<MiniFloat> element) { return {.family = Family::kMx, .block_size = 32, .element = element}; }
BlockSpec Micro(int64_t bit_width) { return {.family = Family::kMicro, .block_size = 16, .bit_width = bit_width}; }

/// Every family, with sizes that have a vector path and sizes that have none.
std::vector<BlockSpec> Specs() {
  std::vector<BlockSpec> specs = {{},
                                  {.block_size = 5, .bit_width = 12},
                                  {.block_size = 100},
                                  Micro(16),
                                  Micro(11),
                                  Mx({}),
                                  Mx(kE2M1),
                                  Mx(kE5M2),
                                  Mx(kE2M3)};
  specs.push_back({.family = Family::kMicro, .block_size = 12, .sub_block_size = 3, .sub_block_shift_bits = 2});
  const size_t count = specs.size();
  for (size_t i = 0; i < count; ++i) {
    for (const Rounding rounding : kRoundings) {
      specs.push_back(specs[i]);
      specs.back().rounding = rounding;
      specs.back().numerics = Numerics::kCompat;
      specs.back().bfloat_first = rounding == Rounding::kHalfUp;
    }
  }
  return specs;
}

std::vector<float> Rounded(const BlockSpec& spec, const Shape& shape, int64_t axis, const std::vector<float>& x) {
  std::vector<float> out(x.size() + 1, 7.0f);
  const Status status = QuantizeDequantize(spec, shape, axis, x.data(), out.data());
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(out.back(), 7.0f) << "written beyond the end";
  out.pop_back();
  return out;
}

std::vector<float> Rounded(const BlockSpec& spec, const std::vector<float>& x) {
  return Rounded(spec, {static_cast<int64_t>(x.size())}, 0, x);
}

void ExpectSame(const std::vector<float>& got, const std::vector<float>& wanted, const std::string& where) {
  ASSERT_EQ(got.size(), wanted.size()) << where;
  const size_t at = FirstDifference(got, wanted);
  EXPECT_EQ(at, wanted.size()) << where << ": got " << got[at] << ", wanted " << wanted[at];
}

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
  // The reference adds to the bits of NaN, too, and makes numbers of some.
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

const Shape kShapes[] = {{37}, {1, 9}, {13, 13}, {21, 29}, {2, 35, 3, 2}, {3, 33, 20}, {2, 16, 16}, {40, 1, 2}};

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
    EXPECT_EQ(Unpack({}, shape, axis, {}).status().id(), ErrorId::kFormatAxis);
  }
}

// Attributes come from files: whatever they are, there is an error or a result.
TEST(QuantizeDequantize, AnyAttributes) {
  std::mt19937 random(11);
  const int64_t numbers[] = {INT64_MIN, -1, 0, 1, 2, 3, 4, 8, 10, 16, 17, 31, 32, 33, 64, 100, 1000, INT32_MAX, INT64_MAX};
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
    if (codes.ok() && Pack(*spec, *codes).ok()) ++used;
  }
  EXPECT_GT(used, 100);
}

TEST(Encode, ValuesOfTheCodesAreThoseOfQuantizeDequantize) {
  for (BlockSpec spec : Specs()) {
    if (spec.family == Family::kMx && !spec.element) spec.numerics = Numerics::kStrict;  // -0 has no int8 code
    for (const Shape& shape : kShapes) {
      const auto count = static_cast<size_t>(ElementCount(shape));
      std::vector<float> x = RandomFloats(count, 17, 3);
      if (GridOf(spec).nan_block) x = WithEdgeValues(std::move(x), 5, 100);
      for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
        const Result<BlockCodes> codes = Encode(spec, shape, axis, x.data());
        ASSERT_TRUE(codes.ok()) << codes.status().ToString();
        std::vector<float> values(count);
        ASSERT_TRUE(Decode(spec, shape, axis, *codes, values.data()).ok());
        ExpectSame(values, Rounded(spec, shape, axis, x), StrCat(ShapeToString(shape), " axis ", axis));
        const Result<PackedBlocks> packed = Pack(spec, *codes);
        ASSERT_TRUE(packed.ok()) << packed.status().ToString();
        EXPECT_EQ(*Unpack(spec, shape, axis, *packed), *codes);
      }
    }
  }
}

TEST(Encode, CodesByHand) {
  const std::vector<float> x = {1, -1.984375f, 0.015625f, -0.0f};
  const BlockCodes bfp = *Encode({}, Shape{4}, 0, x.data());
  EXPECT_EQ(bfp.elements, (std::vector<uint32_t>{64, 0x80 | 127, 1, 0x80}));
  EXPECT_EQ(bfp.exponents, std::vector<int16_t>{0});
  const BlockCodes int8 = *Encode(Mx({}), Shape{4}, 0, x.data());
  EXPECT_EQ(int8.elements, (std::vector<uint32_t>{64, 256 - 127, 1, 0}));
  const BlockCodes fp4 = *Encode(Mx(kE2M1), Shape{4}, 0, x.data());  // scale 2^-2: 4, -7.9, 0.06
  EXPECT_EQ(fp4.elements, (std::vector<uint32_t>{6, 8 | 7, 0, 8}));
  EXPECT_EQ(fp4.exponents, std::vector<int16_t>{-2});
  const BlockCodes mx9 = *Encode(Micro(16), Shape{4}, 0, x.data());
  EXPECT_EQ(mx9.elements, (std::vector<uint32_t>{64, 0x80 | 127, 2, 0x80}));
  EXPECT_EQ(mx9.shifts, (std::vector<uint8_t>{0, 1}));
}

TEST(Pack, SizesAreThoseOfTheFormat) {
  const std::vector<float> x = RandomFloats(4096, 1);
  for (const auto& [spec, bits] :
       {std::pair{BlockSpec{}, 9.0}, std::pair{Micro(16), 9.0}, std::pair{Micro(13), 6.0}, std::pair{Micro(11), 4.0},
        std::pair{Mx({}), 8.25}, std::pair{Mx(kE4M3), 8.25}, std::pair{Mx(kE3M2), 6.25}, std::pair{Mx(kE2M1), 4.25}}) {
    const PackedBlocks packed = *Pack(spec, *Encode(spec, Shape{64, 64}, 1, x.data()));
    EXPECT_EQ(static_cast<double>(packed.size_bytes()) * 8, bits * 4096);
    EXPECT_EQ(spec.bits_per_element(), bits);
  }
}

TEST(Encode, WhatHasNoCode) {
  BlockSpec compat{.numerics = Numerics::kCompat};
  const std::vector<float> x = {1, kNaN, 2}, tiny = {0x1p-127f, 0, 0};
  const Status status = Encode(compat, Shape{3}, 0, x.data()).status();
  EXPECT_EQ(status.id(), ErrorId::kNotRepresentable);
  EXPECT_THAT(status.message(), testing::HasSubstr("value 1 is nan"));
  BlockSpec mx = Mx(kE5M2);
  mx.numerics = Numerics::kCompat;
  const BlockCodes codes = *Encode(mx, Shape{3}, 0, tiny.data());
  EXPECT_EQ(codes.exponents, std::vector<int16_t>{-142});
  EXPECT_EQ(Pack(mx, codes).status().id(), ErrorId::kNotRepresentable);
}

TEST(Unpack, BytesThatDoNotFit) {
  const std::vector<float> x = RandomFloats(100, 1);
  const BlockSpec spec = Micro(16);
  const PackedBlocks packed = *Pack(spec, *Encode(spec, Shape{100}, 0, x.data()));
  PackedBlocks few = packed, fewer = packed, none = packed;
  few.elements.pop_back();
  fewer.scales.pop_back();
  none.shifts.clear();
  for (const PackedBlocks& broken : {few, fewer, none}) {
    EXPECT_EQ(Unpack(spec, Shape{100}, 0, broken).status().id(), ErrorId::kPackedSize);
  }
  EXPECT_EQ(Unpack(spec, Shape{101}, 0, packed).status().id(), ErrorId::kPackedSize);
  std::vector<float> out(100);
  EXPECT_EQ(Decode(spec, Shape{100}, 0, {}, out.data()).id(), ErrorId::kPackedSize);
}

}  // namespace
}  // namespace preon
