#include "formats/block_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/test_blocks.h"
#include "formats/test_packed_blocks.h"

namespace preon {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): specs and comparisons

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
        const std::optional<PackedBlocks> packed = Pack(spec, *codes);
        ASSERT_TRUE(packed.has_value());
        EXPECT_EQ(Unpack(spec, *packed, codes->elements.size(), codes->shifts.size()), *codes);
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

TEST(Encode, CodesTakeAsManyBitsAsTheFormatSays) {
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
  EXPECT_FALSE(Pack(mx, codes).has_value());
}

TEST(Decode, CodesThatDoNotFit) {
  const std::vector<float> x = RandomFloats(100, 1);
  const BlockSpec spec = Micro(16);
  const BlockCodes codes = *Encode(spec, Shape{100}, 0, x.data());
  BlockCodes few = codes, fewer = codes, none = codes;
  few.elements.pop_back();
  fewer.exponents.pop_back();
  none.shifts.clear();
  std::vector<float> out(101);
  for (const BlockCodes& broken : {few, fewer, none, BlockCodes()}) {
    EXPECT_EQ(Decode(spec, Shape{100}, 0, broken, out.data()).id(), ErrorId::kPackedSize);
  }
  EXPECT_EQ(Decode(spec, Shape{101}, 0, codes, out.data()).id(), ErrorId::kPackedSize);
}

}  // namespace
}  // namespace preon
