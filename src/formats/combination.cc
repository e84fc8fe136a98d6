#include "formats/combination.h"

#include "formats/int_format.h"

namespace preon {
namespace {

Status Impossible(const TensorType& type, std::string_view what, std::string_view why) {
  return Error(ErrorId::kFormatCombination, type.name(), ": ", what, ": ", why);
}

}  // namespace

Status CheckCombination(const TensorType& type, ScaleType scale_type, Granularity granularity, bool symmetric) {
  if (type.block() != nullptr) {
    const std::string_view why = "its blocks have exponents of their own";
    if (granularity != Granularity::kPerTensor) return Impossible(type, "scales per channel or block", why);
    if (scale_type != ScaleType::kFloat32) return Impossible(type, "scales that are rounded", why);
    if (!symmetric) return Impossible(type, "asymmetric", "it has no zero point");
    return Status::Ok();
  }
  const bool is_integer = IsIntType(type.type());
  const int bits = DataTypeBits(type.type());
  if (!is_integer && !symmetric) {
    return Impossible(type, "asymmetric", "codes of floating types lie symmetrically around 0; wanted zero point 0");
  }
  if (is_integer && bits == 32 && scale_type == ScaleType::kInt16) {
    return Impossible(type, "int16 scales", "they end at 2^-15, and 2^32 codes that far apart reach beyond 65536");
  }
  if (granularity == Granularity::kPerBlock && (is_integer ? bits == 32 : bits == 16)) {
    return Impossible(type, "scales per block", "no operator quantizes to it in blocks");
  }
  return Status::Ok();
}

}  // namespace preon
