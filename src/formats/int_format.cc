#include "formats/int_format.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

namespace preon {
namespace {

struct CodeInterval {
  int64_t min, max;
};

/// One row per type. Unsigned symmetric codes are the signed ones shifted by half the type's span, so
/// that changing u8 to s8 or back never changes a value; that costs code 0 against the tools that use all 256.
struct IntType {
  DataType type;
  CodeInterval full, symmetric, reduced;
};

constexpr std::array kIntTypes = {
    IntType{DataType::kUInt8, {0, 255}, {1, 255}, {0, 127}},
    IntType{DataType::kInt8, {-128, 127}, {-127, 127}, {-64, 64}},
    IntType{DataType::kUInt16, {0, 65535}, {1, 65535}, {0, 32767}},
    IntType{DataType::kInt16, {-32768, 32767}, {-32767, 32767}, {-16384, 16384}},
    IntType{DataType::kUInt4, {0, 15}, {0, 15}, {0, 7}},
    IntType{DataType::kInt4, {-8, 7}, {-8, 7}, {-4, 3}},
    IntType{DataType::kInt32, {INT32_MIN, INT32_MAX}, {-INT32_MAX, INT32_MAX}, {-(1 << 30), 1 << 30}},
    IntType{DataType::kUInt32, {0, UINT32_MAX}, {1, UINT32_MAX}, {0, INT32_MAX}},
};

/// Their interval is what a range is mapped to, not all they reach: bfloat16 is densest around 1.
constexpr std::array kFloatTypes = {
    IntType{DataType::kFloat16, {-65504, 65504}, {-65504, 65504}, {-65504, 65504}},
    IntType{DataType::kBFloat16, {-2, 2}, {-2, 2}, {-2, 2}},
    IntType{DataType::kFloat8E4M3FN, {-448, 448}, {-448, 448}, {-448, 448}},
    IntType{DataType::kFloat8E5M2, {-57344, 57344}, {-57344, 57344}, {-57344, 57344}},
};

CodeInterval IntervalOf(const IntFormat& format) {
  const std::span<const IntType> types = format.floating() ? std::span<const IntType>(kFloatTypes) : kIntTypes;
  const auto row = std::ranges::find(types, format.type, &IntType::type);
  PREON_CHECK(row != types.end());
  if (format.bits > 0) {
    const int64_t codes = int64_t{1} << (format.reduce_range ? format.bits - 1 : format.bits);
    return row->full.min < 0 ? CodeInterval{-codes / 2, codes / 2 - 1} : CodeInterval{0, codes - 1};
  }
  if (format.reduce_range) return row->reduced;
  return format.symmetric ? row->symmetric : row->full;
}

}  // namespace

int64_t IntFormat::q_min() const { return IntervalOf(*this).min; }
int64_t IntFormat::q_max() const { return IntervalOf(*this).max; }

bool IntFormat::floating() const { return std::ranges::find(kFloatTypes, type, &IntType::type) != kFloatTypes.end(); }

bool IsIntType(DataType type) { return std::ranges::find(kIntTypes, type, &IntType::type) != kIntTypes.end(); }

Result<QuantParams> ComputeQuantParams(Range range, const IntFormat& format) {
  if (!std::isfinite(range.min) || !std::isfinite(range.max)) {
    return Error(ErrorId::kRangeInvalid, "range [", range.min, ", ", range.max, "]: not finite");
  }
  if (range.min > range.max) {
    return Error(ErrorId::kRangeInvalid, "range [", range.min, ", ", range.max, "]: the minimum is above the maximum");
  }
  // Half of the largest float: the width of the interval, and the value of its outermost codes, stay finite.
  constexpr float kLargest = FLT_MAX / 2;
  float low = std::max(std::min(range.min, 0.0f), -kLargest);
  float high = std::min(std::max(range.max, 0.0f), kLargest);
  if (format.symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  const auto q_min = static_cast<double>(format.q_min());
  const auto q_max = static_cast<double>(format.q_max());
  // The width is a float and the quotient a double, as in Quark and ONNX Runtime: scales are theirs to the last bit.
  const float width = high - low;
  const double scale = width / (q_max - q_min);
  if (scale < FLT_MIN) return QuantParams{1.0f, 0};
  // A symmetric zero point never depends on the scale, so all channels of a weight agree on it.
  const double zero_point =
      format.symmetric ? std::nearbyint((q_min + q_max) / 2) : std::nearbyint(q_min - low / scale);
  return QuantParams{static_cast<float>(scale), static_cast<int64_t>(zero_point)};
}

CodeRange CodesInUse(const QuantParams& params, const IntFormat& format) {
  const CodeInterval codes = IntervalOf(format);
  return {std::min(codes.min, params.zero_point), codes.max};
}

Range RepresentableRange(const QuantParams& params, const IntFormat& format) {
  const CodeRange codes = CodesInUse(params, format);
  const auto value = [&](int64_t code) {
    return static_cast<float>(static_cast<double>(params.scale) * static_cast<double>(code - params.zero_point));
  };
  return {value(codes.min), value(codes.max)};
}

int64_t EncodeValue(float x, const QuantParams& params, const IntFormat& format) {
  const CodeRange codes = CodesInUse(params, format);
  const float steps = std::nearbyint(x / params.scale);
  if (std::isnan(steps)) return codes.min;
  const double code = static_cast<double>(steps) + static_cast<double>(params.zero_point);
  return static_cast<int64_t>(std::clamp(code, static_cast<double>(codes.min), static_cast<double>(codes.max)));
}

}  // namespace preon
