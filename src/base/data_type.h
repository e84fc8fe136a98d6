// Element types of tensors, with ONNX's numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace preon {

/// Same values as onnx.TensorProto.DataType.
enum class DataType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUInt32 = 12,
  kUInt64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUInt4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUInt2 = 25,
  kInt2 = 26,
};

/// ONNX's lower-case name: "float", "int8", …; "undefined" for unknown numbers.
std::string_view DataTypeName(DataType type);
/// Bits of one element; 0 for strings and undefined.
int DataTypeBits(DataType type);
/// float, double, float16, bfloat16.
bool IsFloatingType(DataType type);
/// Bytes of `count` packed elements (two 4-bit or four 2-bit codes share a byte, the last one may be part empty).
size_t PackedSizeBytes(DataType type, int64_t count);

}  // namespace preon
