#include "quantize/tensor_params.h"

namespace preon {

Result<QuantParams> TensorParams::Make(const std::string& tensor, Range range, const IntFormat& format,
                                       ScaleType type) {
  Result<QuantParams> params = ComputeQuantParams(range, format);
  if (!params.ok()) return std::move(params).status().WithContext(tensor);
  if (!ReachesScale(params->scale, type)) {
    ++(params->scale < 1 ? below_ : above_);
    tensors_.insert(tensor);
  }
  return ComputeQuantParams(range, format, type);
}

std::optional<std::string> TensorParams::Warning() const {
  if (tensors_.empty()) return std::nullopt;
  return StrCat("int16 scales reach from 2^-15 to 32767: ", below_, " scales below and ", above_,
                " above became the nearest of these, in ", tensors_.size(), " tensors, the first of them ",
                *tensors_.begin());
}

}  // namespace preon
