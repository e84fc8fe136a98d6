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

  /// kUndefined: blocks.
  DataType type() const { return type_; }
  const BlockSpec* block() const { return block_ ? &*block_ : nullptr; }
  /// The registry's.
  std::string name() const;
  bool operator==(const TensorType&) const = default;

 private:
  DataType type_;
  std::optional<BlockSpec> block_;
};

/// int8 and uint8.
bool IsByte(const TensorType& type);
/// float16 and bfloat16.
bool IsHalf(const TensorType& type);
/// Do tensors of this type have scales? Blocks have exponents instead, halves are rounded as they are unless `scaled`.
bool HasScale(const TensorType& type, bool scaled);

/// A name or alias of the registry of number formats, also as "QuantType.QInt8", "ExtendedQuantType.QBFloat16"….
/// Errors: kUnknownOption with the nearest name.
Result<TensorType> ParseTensorType(std::string_view name);
/// The names it takes, in the order of help.
std::vector<std::string> TensorTypeNames();

}  // namespace preon
