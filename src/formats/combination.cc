#include "formats/combination.h"

#include "formats/int_format.h"

namespace preon {
namespace {

Status Impossible(const NumberFormat& format, std::string_view what, std::string_view why) {
  return Error(ErrorId::kFormatCombination, format.name(), ": ", what, ": ", why);
}

}  // namespace

Status CheckCombination(const NumberFormat& format, ScaleType scale_type, Granularity granularity, bool symmetric) {
  if (format.block()) {
    const std::string_view why = "its blocks have exponents of their own";
    if (granularity != Granularity::kPerTensor) return Impossible(format, "scales per channel or block", why);
    if (scale_type != ScaleType::kFloat32) return Impossible(format, "scales that are rounded", why);
    if (!symmetric) return Impossible(format, "asymmetric", "it has no zero point");
    return Status::Ok();
  }
  const DataType type = format.onnx_type();
  const bool is_integer = IsIntType(type);
  const int bits = DataTypeBits(type);
  if (!is_integer && !symmetric) {
    return Impossible(format, "asymmetric", "codes of floating types lie symmetrically around 0; wanted zero point 0");
  }
  if (is_integer && bits == 32 && scale_type == ScaleType::kInt16) {
    return Impossible(format, "int16 scales", "they end at 2^-15, and 2^32 codes that far apart reach beyond 65536");
  }
  if (granularity == Granularity::kPerBlock && (is_integer ? bits == 32 : bits == 16)) {
    return Impossible(format, "scales per block", "no operator quantizes to it in blocks");
  }
  return Status::Ok();
}

}  // namespace preon
