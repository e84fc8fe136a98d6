#include "formats/linear_blocks.h"

#include <gmock/gmock.h>

#include "formats/linear_codec.h"
#include "formats/test_blocks.h"

namespace preon {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): specs and comparisons

std::vector<float> Values(const LinearBlocks& blocks) {
  std::vector<float> values(static_cast<size_t>(blocks.codes.count()));
  const ParamLayout layout = blocks.block_size == 0
                                 ? ParamLayout::PerTensor(blocks.codes.count())
                                 : *ParamLayout::PerBlock(blocks.codes.shape(), blocks.axis, blocks.block_size);
  const Status status =
      DequantizeTensor({.type = blocks.codes.type()}, layout, {.scales = blocks.scales.floats(), .zero_points = {}},
                       blocks.codes.bytes().data(), values.data());
  EXPECT_TRUE(status.ok()) << status.ToString();
  return values;
}

/// Integers have one zero.
void DropSignsOfZeros(std::vector<float>& values) {
  for (float& value : values) value = value == 0 ? 0.0f : value;
}

TEST(AsLinearBlocks, ValuesAreThoseOfQuantizeDequantize) {
  std::vector<BlockSpec> specs = Specs();
  specs.push_back(Micro(13));
  specs.push_back(Mx(kE3M2));
  specs.push_back(Mx(kE4M3));
  specs.push_back({.raise_exponent = true});
  for (const BlockSpec& spec : specs) {
    for (const Shape& shape : kShapes) {
      for (const int exponent : {0, -128, 124}) {
        std::vector<float> x = RandomFloats(static_cast<size_t>(ElementCount(shape)), 5, 6);
        for (float& value : x) value = std::clamp(std::ldexp(value, exponent), -0x1.fp126f, 0x1.fp126f);
        for (int64_t axis = -1; axis < static_cast<int64_t>(shape.size()); ++axis) {
          const Result<LinearBlocks> blocks = AsLinearBlocks(spec, Tensor::FromFloats(shape, x), axis);
          ASSERT_TRUE(blocks.ok()) << blocks.status().ToString();
          std::vector<float> got = Values(*blocks), wanted = Rounded(spec, shape, axis, x);
          if (!spec.element || spec.numerics == Numerics::kCompat) {
            DropSignsOfZeros(got);
            DropSignsOfZeros(wanted);
          }
          ExpectSame(got, wanted, StrCat(ShapeToString(shape), " axis ", axis));
        }
      }
    }
  }
}

TEST(AsLinearBlocks, TypesAndShapes) {
  const Tensor values = Tensor::FromFloats({3, 40}, RandomFloats(120, 1));
  for (const auto& [spec, type, blocks] : {std::tuple{BlockSpec{}, DataType::kInt8, 5},
                                           {Micro(11), DataType::kInt4, 3},
                                           {Micro(13), DataType::kInt8, 3},
                                           {Micro(16), DataType::kInt16, 3},
                                           {Mx({}), DataType::kInt8, 2},
                                           {Mx(kE2M1), DataType::kFloat8E4M3FN, 2},
                                           {Mx(kE3M2), DataType::kFloat8E4M3FN, 2},
                                           {Mx(kE2M3), DataType::kFloat8E4M3FN, 2},
                                           {Mx(kE4M3), DataType::kFloat8E4M3FN, 2},
                                           {Mx(kE5M2), DataType::kFloat8E5M2, 2}}) {
    const LinearBlocks got = *AsLinearBlocks(spec, values, -1);
    EXPECT_EQ(got.codes.type(), type);
    EXPECT_EQ(got.codes.shape(), values.shape());
    EXPECT_EQ(got.scales.shape(), (Shape{3, blocks}));
    EXPECT_EQ(got.axis, 1);
    EXPECT_EQ(got.block_size, spec.block_size);
  }
  EXPECT_EQ(AsLinearBlocks({}, values, 0)->scales.shape(), (Shape{1, 40}));
  const float one = 1.9f;
  const LinearBlocks scalar = *AsLinearBlocks({}, Tensor::ScalarFloat(one), 1);
  EXPECT_EQ(scalar.scales.shape(), Shape{});
  EXPECT_EQ(Values(scalar), Rounded({}, {one}));
}

TEST(AsLinearBlocks, CodesOfMx4AreDoubledWhereNothingIsShifted) {
  const LinearBlocks blocks =
      *AsLinearBlocks(Micro(11), Tensor::FromFloats({4}, std::vector<float>{1, -1.5f, .75f, .25f}), 0);
  EXPECT_THAT(blocks.codes.bytes(), testing::ElementsAre(std::byte{0xA4}, std::byte{0x13}));  // 4, -6; 3, 1 quarters
  EXPECT_THAT(blocks.scales.floats(), testing::ElementsAre(0.25f));
}

TEST(AsLinearBlocks, Errors) {
  const Tensor values = Tensor::FromFloats({4}, std::vector<float>{1, kNaN, 2, 3});
  EXPECT_EQ(AsLinearBlocks({}, values, 0).status().id(), ErrorId::kNotRepresentable);
  EXPECT_EQ(AsLinearBlocks({.numerics = Numerics::kCompat}, values, 0).status().id(), ErrorId::kNotRepresentable);
  EXPECT_EQ(AsLinearBlocks({.bit_width = 25}, values, 0).status().id(), ErrorId::kFormatCombination);
  EXPECT_EQ(LinearBlockType(Mx(kE5M10)).status().id(), ErrorId::kFormatCombination);
  const Tensor matrix = Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(AsLinearBlocks({}, matrix, 2).status().id(), ErrorId::kFormatAxis);
  EXPECT_TRUE(AsLinearBlocks({}, Tensor::FromFloats({0, 4}, {}), 0).ok());
}

}  // namespace
}  // namespace preon
