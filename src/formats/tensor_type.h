// TensorType: what a user gives a tensor as its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_type.h"
#include "base/status.h"
#include "formats/block_spec.h"
#include "formats/number_format.h"

namespace preon {

/// Codes with scales beside them, or blocks with exponents among them.
class TensorType {
 public:
  /// Codes of an ONNX element type.
  TensorType(DataType type) : type_(type) {}  // NOLINT: a DataType is one
  explicit TensorType(const BlockSpec& block) : type_(DataType::kUndefined), block_(block) {}
  explicit TensorType(const NumberFormat& format) : type_(format.onnx_type()) {
    if (format.block() != nullptr) block_ = *format.block();
  }

  /// Integer codes of fewer bits than `type` has, of which there is no ONNX type that runtimes take: int3 in int4.
  static TensorType WithFewerBits(DataType type, int bits) {
    TensorType fewer(type);
    fewer.code_bits_ = bits;
    return fewer;
  }

  /// kUndefined: blocks. What codes are stored as.
  DataType type() const { return type_; }
  /// Of the codes, where they are fewer than the type's; 0: all.
  int code_bits() const { return code_bits_; }
  /// Of one code.
  int bits() const { return code_bits_ > 0 ? code_bits_ : DataTypeBits(type_); }
  const BlockSpec* block() const { return block_ ? &*block_ : nullptr; }
  /// The registry's.
  std::string name() const;
  bool operator==(const TensorType&) const = default;

 private:
  DataType type_;
  int code_bits_ = 0;
  std::optional<BlockSpec> block_;
};

/// int8 and uint8.
bool IsByte(const TensorType& type);
/// float16 and bfloat16.
bool IsHalf(const TensorType& type);
/// Integer codes of at most 4 bits?
bool HasFewCodes(const TensorType& type);
/// Do tensors of this type have scales? Blocks have exponents instead, halves are rounded as they are unless `scaled`.
bool HasScale(const TensorType& type, bool scaled);

/// A name or alias of the registry of number formats, also as "QuantType.QInt8", "ExtendedQuantType.QBFloat16"….
/// Errors: kUnknownOption with the nearest name.
Result<TensorType> ParseTensorType(std::string_view name);
/// Those, and integers of 2 and 3 bits, for weights alone: nothing is computed in them.
Result<TensorType> ParseWeightType(std::string_view name);
/// The names that ParseTensorType takes, in the order of help.
std::vector<std::string> TensorTypeNames();

}  // namespace preon
