#include "formats/linear_codec.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "formats/bit_packing.h"
#include "formats/int_format.h"
#include "kernels/quantize.h"

namespace preon {
namespace {

constexpr int64_t kChunk = 1024;  // what lies between x and codes stays in the first cache

/// Integer codes of T each; those of 4 bits are packed later.
template <typename T>
class IntCodec {
 public:
  using Code = T;

  IntCodec(DataType type, const LinearParams& params) : params_(params) {
    codes_.q_min = IntFormat{type}.q_min();
    codes_.q_max = IntFormat{type}.q_max();
  }
  void Quantize(const float* x, int64_t count, int64_t param, T* codes) const {
    QuantizeLinear(x, static_cast<size_t>(count), Of(param), codes);
  }
  void Dequantize(const T* codes, int64_t count, int64_t param, float* out) const {
    DequantizeLinear(codes, static_cast<size_t>(count), Of(param), out);
  }

 private:
  IntCodes Of(int64_t param) const {
    IntCodes codes = codes_;
    codes.scale = params_.scales[param];
    if (!params_.zero_points.empty()) codes.zero_point = static_cast<int64_t>(params_.zero_points[param]);
    return codes;
  }

  LinearParams params_;
  IntCodes codes_;
};

template <typename T>
class FloatCodec {
 public:
  using Code = T;

  FloatCodec(const LinearSpec& spec, const LinearParams& params)
      : params_(params),
        format_(*MiniFloatOf(spec.type)),
        overflow_(OverflowOf(spec.type)),
        ignores_params_(spec.type == DataType::kFloat16 && spec.numerics == Numerics::kCompat) {}

  void Quantize(const float* x, int64_t count, int64_t param, T* codes) const {
    const auto [scale, zero_point] = Of(param);
    float scaled[kChunk];
    uint16_t wide[kChunk];
    for (int64_t begin = 0; begin < count; begin += kChunk) {
      const int64_t size = std::min(kChunk, count - begin);
      for (int64_t i = 0; i < size; ++i) scaled[i] = x[begin + i] / scale;
      // Not so 0, which would take the sign of -0.
      if (zero_point != 0) {
        for (int64_t i = 0; i < size; ++i) scaled[i] += zero_point;
      }
      EncodeMiniFloat(format_, overflow_, scaled, static_cast<size_t>(size), wide);
      std::copy(wide, wide + size, codes + begin);
    }
  }
  void Dequantize(const T* codes, int64_t count, int64_t param, float* out) const {
    const auto [scale, zero_point] = Of(param);
    uint16_t wide[kChunk];
    for (int64_t begin = 0; begin < count; begin += kChunk) {
      const int64_t size = std::min(kChunk, count - begin);
      std::copy(codes + begin, codes + begin + size, wide);
      DecodeMiniFloat(format_, wide, static_cast<size_t>(size), out + begin);
      for (int64_t i = 0; i < size; ++i) out[begin + i] = (out[begin + i] - zero_point) * scale;
    }
  }

 private:
  struct Param {
    float scale, zero_point;
  };
  Param Of(int64_t param) const {
    if (ignores_params_) return {1, 0};
    return {params_.scales[param], params_.zero_points.empty() ? 0 : static_cast<float>(params_.zero_points[param])};
  }

  LinearParams params_;
  MiniFloat format_;
  Overflow overflow_;
  bool ignores_params_;
};

/// Calls body(codec) with the codec of the type, which is checked.
template <typename Body>
void WithCodec(const LinearSpec& spec, const LinearParams& params, const Body& body) {
  switch (spec.type) {
    case DataType::kInt4:
    case DataType::kInt8:
      return body(IntCodec<int8_t>(spec.type, params));
    case DataType::kUInt4:
    case DataType::kUInt8:
      return body(IntCodec<uint8_t>(spec.type, params));
    case DataType::kInt16:
      return body(IntCodec<int16_t>(spec.type, params));
    case DataType::kUInt16:
      return body(IntCodec<uint16_t>(spec.type, params));
    case DataType::kInt32:
      return body(IntCodec<int32_t>(spec.type, params));
    case DataType::kUInt32:
      return body(IntCodec<uint32_t>(spec.type, params));
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return body(FloatCodec<uint16_t>(spec, params));
    default:
      return body(FloatCodec<uint8_t>(spec, params));
  }
}

bool IsInteger(DataType type) { return !MiniFloatOf(type); }

Status CheckZeroPoint(DataType type, double zero_point) {
  if (IsInteger(type)) {
    const IntFormat format{type};
    const auto low = static_cast<double>(format.q_min()), high = static_cast<double>(format.q_max());
    if (zero_point >= low && zero_point <= high && zero_point == std::nearbyint(zero_point)) return Status::Ok();
    return Error(ErrorId::kFormatAttribute, "zero point: got ", zero_point, ", wanted an integer from ", format.q_min(),
                 " to ", format.q_max(), " (", DataTypeName(type), ")");
  }
  if (DataTypeBits(type) > 8 || zero_point == 0) return Status::Ok();
  return Error(ErrorId::kFormatAttribute, "zero point: got ", zero_point, ", wanted 0, the only zero point of ",
               DataTypeName(type));
}

Status CheckLinear(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params) {
  if (IsInteger(spec.type) && !IsIntType(spec.type)) {
    return Error(ErrorId::kFormatAttribute, "type: got ", DataTypeName(spec.type),
                 ", wanted an integer of 4 to 32 bits, float16, bfloat16, float8e4m3fn or float8e5m2");
  }
  const auto wanted = static_cast<size_t>(layout.params());
  if (params.scales.size() != wanted) {
    return Error(ErrorId::kFormatAttribute, "scales: got ", params.scales.size(), ", wanted ", wanted);
  }
  if (!params.zero_points.empty() && params.zero_points.size() != wanted) {
    return Error(ErrorId::kFormatAttribute, "zero points: got ", params.zero_points.size(), ", wanted ", wanted);
  }
  for (const double zero_point : params.zero_points) PREON_RETURN_IF_ERROR(CheckZeroPoint(spec.type, zero_point));
  return Status::Ok();
}

bool IsNibble(DataType type) { return DataTypeBits(type) == 4; }

template <typename T>
void PackNibbles(std::span<const T> codes, std::byte* packed) {
  std::ranges::copy(PackBits(std::vector<uint32_t>(codes.begin(), codes.end()), 4), packed);
}

template <typename T>
std::vector<T> UnpackNibbles(const std::byte* packed, size_t count) {
  std::vector<T> codes;
  codes.reserve(count);
  for (const uint32_t nibble : UnpackBits({packed, (count + 1) / 2}, count, 4)) {
    const auto code = static_cast<int>(nibble);
    codes.push_back(static_cast<T>(std::is_signed_v<T> && code > 7 ? code - 16 : code));
  }
  return codes;
}

}  // namespace

std::optional<MiniFloat> MiniFloatOf(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return kE5M10;
    case DataType::kBFloat16:
      return kE8M7;
    case DataType::kFloat8E4M3FN:
      return kE4M3;
    case DataType::kFloat8E5M2:
      return kE5M2;
    default:
      return std::nullopt;
  }
}

Overflow OverflowOf(DataType type) { return type == DataType::kBFloat16 ? Overflow::kInfinity : Overflow::kSaturate; }

Status QuantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params, const float* x,
                      std::byte* codes) {
  PREON_RETURN_IF_ERROR(CheckLinear(spec, layout, params));
  WithCodec(spec, params, [&](const auto& codec) {
    using Code = typename std::decay_t<decltype(codec)>::Code;
    std::vector<Code> nibbles(IsNibble(spec.type) ? static_cast<size_t>(layout.count()) : 0);
    Code* out = IsNibble(spec.type) ? nibbles.data() : reinterpret_cast<Code*>(codes);
    layout.ForEachRun(x, out, [&](const float* from, int64_t count, int64_t param, Code* to) {
      codec.Quantize(from, count, param, to);
    });
    PackNibbles<Code>(nibbles, codes);
  });
  return Status::Ok();
}

Status DequantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params,
                        const std::byte* codes, float* out) {
  PREON_RETURN_IF_ERROR(CheckLinear(spec, layout, params));
  WithCodec(spec, params, [&](const auto& codec) {
    using Code = typename std::decay_t<decltype(codec)>::Code;
    std::vector<Code> nibbles;
    if (IsNibble(spec.type)) nibbles = UnpackNibbles<Code>(codes, static_cast<size_t>(layout.count()));
    const Code* in = IsNibble(spec.type) ? nibbles.data() : reinterpret_cast<const Code*>(codes);
    layout.ForEachRun(in, out, [&](const Code* from, int64_t count, int64_t param, float* to) {
      codec.Dequantize(from, count, param, to);
    });
  });
  return Status::Ok();
}

Status QuantizeDequantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params,
                                const float* x, float* out) {
  PREON_RETURN_IF_ERROR(CheckLinear(spec, layout, params));
  WithCodec(spec, params, [&](const auto& codec) {
    using Code = typename std::decay_t<decltype(codec)>::Code;
    layout.ForEachRun(x, out, [&](const float* from, int64_t count, int64_t param, float* to) {
      Code chunk[kChunk];
      for (int64_t begin = 0; begin < count; begin += kChunk) {
        const int64_t size = std::min(kChunk, count - begin);
        codec.Quantize(from + begin, size, param, chunk);
        codec.Dequantize(chunk, size, param, to + begin);
      }
    });
  });
  return Status::Ok();
}

}  // namespace preon
