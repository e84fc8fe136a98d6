#include "handover/rounded_tensor.h"

#include "base/str_cat.h"

namespace preon {

bool IsSigned(const RoundedTensor& tensor) { return DataTypeName(tensor.codes.type).starts_with("int"); }

int64_t LowestCode(const RoundedTensor& tensor) { return IsSigned(tensor) ? -(int64_t{1} << (tensor.bits - 1)) : 0; }

std::string CodeTypeName(const RoundedTensor& tensor) { return StrCat(IsSigned(tensor) ? "int" : "uint", tensor.bits); }

}  // namespace preon
