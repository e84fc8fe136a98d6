#include "formats/tensor_type.h"

#include "base/spelling.h"
#include "base/text.h"
#include "formats/int_format.h"
#include "formats/number_formats.h"

namespace preon {

std::string TensorType::name() const {
  if (!block_ && code_bits_ > 0) return StrCat(IntFormat{type_}.q_min() < 0 ? "int" : "uint", code_bits_);
  if (!block_) return std::string(DataTypeName(type_));
  for (const auto& format : NumberFormats().entries()) {
    if (TensorType(*format) == *this) return std::string(format->name());
  }
  const bool mx = block_->family == BlockSpec::Family::kMx;
  const std::string size = StrCat(" in blocks of ", block_->block_size);
  return mx ? StrCat("mx ", MxAttributesOf(*block_).element_dtype, size)
            : StrCat("bfp of ", block_->bit_width, " bits", size);
}

bool IsByte(const TensorType& type) { return type == DataType::kInt8 || type == DataType::kUInt8; }

bool IsHalf(const TensorType& type) { return type == DataType::kFloat16 || type == DataType::kBFloat16; }

bool HasScale(const TensorType& type, bool scaled) { return type.block() == nullptr && (scaled || !IsHalf(type)); }

bool HasFewCodes(const TensorType& type) {
  return type.block() == nullptr && IsIntType(type.type()) && type.bits() <= 4;
}

Result<TensorType> ParseTensorType(std::string_view name) {
  std::string_view member = name;
  for (const std::string_view prefix : {"quanttype.", "extendedquanttype.", "vitisquanttype."}) {
    if (ToLower(member).starts_with(prefix)) member.remove_prefix(prefix.size());
  }
  PREON_ASSIGN_OR_RETURN(const NumberFormat* format, NumberFormats().Find(member));
  return TensorType(*format);
}

Result<TensorType> ParseWeightType(std::string_view name) {
  for (const DataType type : {DataType::kInt4, DataType::kUInt4}) {
    for (const int bits : {2, 3}) {
      const TensorType few = TensorType::WithFewerBits(type, bits);
      if (ToLower(std::string(name)) == few.name()) return few;
    }
  }
  return ParseTensorType(name);
}

std::vector<std::string> TensorTypeNames() {
  std::vector<std::string> names;
  for (const auto& format : NumberFormats().entries()) names.emplace_back(format->name());
  return names;
}

}  // namespace preon
