#include "quantize/params/tensor_params.h"

#include <algorithm>

#include "formats/compat/compat_params.h"

namespace preon {
namespace {

// The scale that is wanted, and whether the type has one near it.
struct Wanted {
  float scale;
  bool in_reach;
};

Result<Wanted> WantedScale(Range range, const IntFormat& format, ScaleType type, Compat compat) {
  if (compat == Compat::kOff) {
    PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(range, format));
    return Wanted{params.scale, ReachesScale(params.scale, type)};
  }
  PREON_ASSIGN_OR_RETURN(const QuantParams params, compat::QuantParamsOf(range, format, ScaleType::kFloat32, compat));
  return Wanted{params.scale, type != ScaleType::kInt16 || compat::Int16FractionNear(params.scale).multiplier > 0};
}

}  // namespace

Result<QuantParams> TensorParams::Make(const std::string& tensor, Range range, const IntFormat& format,
                                       ScaleType type) {
  if (min_real_range_) {
    const float low = std::min(range.min, 0.0f);
    range = {low, std::max(std::max(range.max, 0.0f), static_cast<float>(double{low} + *min_real_range_))};
  }
  Result<Wanted> wanted = WantedScale(range, format, type, compat_);
  if (!wanted.ok()) return std::move(wanted).status().WithContext(tensor);
  if (!wanted->in_reach) {
    ++(wanted->scale < 1 ? below_ : above_);
    tensors_.insert(tensor);
  }
  if (compat_ != Compat::kOff) return compat::QuantParamsOf(range, format, type, compat_);
  return ComputeQuantParams(range, format, type);
}

std::optional<std::string> TensorParams::Warning() const {
  if (tensors_.empty()) return std::nullopt;
  const bool ours = compat_ == Compat::kOff;
  return StrCat("int16 scales reach from ", ours ? "2^-15" : "2^-17", " to 32767: ", below_, " scales below and ",
                above_, " above became ", ours ? "the nearest of these" : "2^-14, as in Quark", ", in ",
                tensors_.size(), " tensors, the first of them ", *tensors_.begin());
}

}  // namespace preon
