#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/int_format.h"

namespace preon {
namespace {

constexpr IntFormat kWeight{DataType::kInt8, true};

/// Values that differ from channel to channel by orders of magnitude.
Tensor Sample(const Shape& shape) {
  std::vector<float> values(ElementCount(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i) * 0.7f) * std::pow(10.0f, static_cast<float>(i % 7) - 3);
  }
  return Tensor::FromFloats(shape, values);
}

/// The index along `axis` of flat element `i`: slow and obvious.
int64_t ChannelOf(const Shape& shape, int axis, int64_t i) {
  if (axis < 0) return 0;
  int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  return i / inner % shape[axis];
}

std::vector<QuantParams> QuantParamsOf(const std::vector<Range>& ranges, const IntFormat& format) {
  std::vector<QuantParams> params;
  for (const Range& range : ranges) params.push_back(*ComputeQuantParams(range, format));
  return params;
}

struct Case {
  Shape shape;
  int axis;
};
// Conv, depthwise Conv, ConvTranspose, Gemm and MatMul weights, more and fewer columns than a tile, vectors, scalars.
const Case kCases[] = {{{8, 3, 3, 3}, 0}, {{16, 1, 3, 3}, 0}, {{4, 6, 2, 2}, 1}, {{33, 40}, 0}, {{300, 37}, 1},
                       {{7, 5}, 1},       {{2, 3, 4}, 2},     {{9}, 0},          {{5, 1}, 1},   {{4, 4}, -1},
                       {{}, -1},          {{3, 0, 2}, 1},     {{0, 4}, 1}};

TEST(WeightRanges, EqualsTheObviousLoop) {
  for (const Case& c : kCases) {
    const Tensor values = Sample(c.shape);
    const Result<std::vector<Range>> ranges = WeightRanges(values, c.axis);
    ASSERT_TRUE(ranges.ok()) << ShapeToString(c.shape);
    ASSERT_EQ(static_cast<int64_t>(ranges->size()), c.axis < 0 ? 1 : c.shape[c.axis]) << ShapeToString(c.shape);
    for (size_t channel = 0; channel < ranges->size(); ++channel) {
      Range wanted;
      bool first = true;
      for (int64_t i = 0; i < values.count(); ++i) {
        if (ChannelOf(c.shape, c.axis, i) != static_cast<int64_t>(channel)) continue;
        const float x = values.floats()[i];
        wanted = first ? Range{x, x} : Range{std::min(wanted.min, x), std::max(wanted.max, x)};
        first = false;
      }
      EXPECT_EQ((*ranges)[channel], wanted) << ShapeToString(c.shape) << " channel " << channel;
    }
  }
}

TEST(EncodeTensor, EveryElementByItsOwnChannelsParameters) {
  for (const IntFormat& format :
       {kWeight, IntFormat{DataType::kUInt8}, IntFormat{DataType::kInt16, true}, IntFormat{DataType::kUInt16}}) {
    for (const Case& c : kCases) {
      const Tensor values = Sample(c.shape);
      const std::vector<QuantParams> params = QuantParamsOf(*WeightRanges(values, c.axis), format);
      const Result<EncodedTensor> encoded = EncodeTensor(values, params, c.axis, format);
      ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
      EXPECT_EQ(encoded->codes.shape(), c.shape);
      const Tensor decoded = DecodeTensor(*encoded);
      for (int64_t i = 0; i < values.count(); ++i) {
        const QuantParams& own = params[ChannelOf(c.shape, c.axis, i)];
        const int32_t code = EncodeValue(values.floats()[i], own, format);
        ASSERT_EQ(decoded.floats()[i], own.scale * static_cast<float>(code - own.zero_point))
            << ShapeToString(c.shape) << " at " << i;
      }
    }
  }
}

TEST(EncodeTensor, AllZeroChannelStaysZero) {
  const Tensor values = Tensor::FromFloats({2, 3}, std::vector<float>{0, 0, 0, 1, -2, 3});
  for (const IntFormat& format : {kWeight, IntFormat{DataType::kUInt8, true}}) {
    const std::vector<QuantParams> params = QuantParamsOf(*WeightRanges(values, 0), format);
    const Tensor decoded = DecodeTensor(*EncodeTensor(values, params, 0, format));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(decoded.floats()[i], 0.0f);
  }
}

TEST(EncodeTensor, EveryLinearTypeDecodesToItsNearestValues) {
  const Tensor values = Tensor::FromFloats({2, 3}, std::vector<float>{-1, -0.25f, 0, 0.3f, 0.75f, 1});
  for (const DataType type :
       {DataType::kInt4, DataType::kUInt4, DataType::kInt32, DataType::kUInt32, DataType::kFloat16, DataType::kBFloat16,
        DataType::kFloat8E4M3FN, DataType::kFloat8E5M2}) {
    const IntFormat format{type, IntFormat{type}.q_min() < 0};
    const QuantParams params = *ComputeQuantParams({-1, 1}, format);
    const Result<EncodedTensor> encoded = EncodeTensor(values, {params}, -1, format);
    ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
    EXPECT_EQ(encoded->codes.type(), type);
    const Tensor decoded = DecodeTensor(*encoded);
    for (size_t i = 0; i < 6; ++i) {
      const float x = values.floats()[i];
      const float step = format.floating() ? std::abs(x) / 4 : params.scale;  // 2 bits of mantissa at least
      EXPECT_LE(std::abs(decoded.floats()[i] - x), step / 2 * 1.01f) << DataTypeName(type) << ' ' << x;
    }
  }
}

TEST(EncodeTensor, ScalesPerBlock) {
  const Tensor values = Tensor::FromFloats({3, 2}, std::vector<float>{1, 10, 2, 20, 3, 30});
  const Tensor rows = *RowsOfBlocks(values, 0, 2);
  EXPECT_EQ(rows.shape(), (Shape{4, 2}));
  EXPECT_THAT(rows.floats(), testing::ElementsAre(1, 2, 10, 20, 3, 0, 30, 0));
  const IntFormat format{DataType::kInt8, true};
  std::vector<QuantParams> params;
  for (const float largest : {2.0f, 20.0f, 3.0f, 30.0f})
    params.push_back(*ComputeQuantParams({-largest, largest}, format));
  const Result<EncodedTensor> encoded = EncodeTensor(values, params, 0, format, 2);
  ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
  EXPECT_THAT(encoded->codes.As<int8_t>(), testing::ElementsAre(64, 64, 127, 127, 127, 127));
  const Tensor decoded = DecodeTensor(*encoded);
  EXPECT_FLOAT_EQ(decoded.floats()[3], 20);
  EXPECT_EQ(RowsOfBlocks(values, 2, 2).status().id(), ErrorId::kQuantizeFailed);
}

TEST(EncodeTensor, Errors) {
  const Tensor values = Sample({2, 3});
  EXPECT_EQ(EncodeTensor(values, std::vector<QuantParams>(2), 2, kWeight).status().id(), ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeTensor(values, std::vector<QuantParams>(2), 1, kWeight).status().id(), ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeTensor(Tensor::FromInt64s({1}, std::vector<int64_t>{1}), std::vector<QuantParams>(1), -1, kWeight)
                .status()
                .id(),
            ErrorId::kQuantizeFailed);
  EXPECT_EQ(EncodeTensor(values, {{1, 9}}, -1, {DataType::kInt4}).status().id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(EncodeTensor(values, {{1, 1}}, -1, {DataType::kFloat8E5M2, true}).status().id(), ErrorId::kFormatAttribute);
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(WeightRanges(Tensor::FromFloats({2}, std::vector<float>{1, bad}), -1).status().id(),
              ErrorId::kRangeNotFinite);
  }
}

}  // namespace
}  // namespace preon
