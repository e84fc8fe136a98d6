#include "quantize/qdq_passes/recode.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace preon {
namespace {

template <typename T>
Tensor RecodedAs(const Tensor& codes, const std::function<double(size_t index)>& factor) {
  Tensor recoded = Tensor::Allocate(codes.type(), codes.shape());
  const std::span<const T> old = codes.As<T>();
  const std::span<T> fresh = recoded.Mutable<T>();
  for (size_t index = 0; index < old.size(); ++index) {
    const double value = std::nearbyint(static_cast<double>(old[index]) * factor(index));
    fresh[index] =
        static_cast<T>(std::clamp(value, double{std::numeric_limits<T>::min()}, double{std::numeric_limits<T>::max()}));
  }
  return recoded;
}

}  // namespace

std::optional<Tensor> Recoded(const Tensor& codes, const std::function<double(size_t index)>& factor) {
  switch (codes.type()) {
    case DataType::kInt8:
      return RecodedAs<int8_t>(codes, factor);
    case DataType::kInt16:
      return RecodedAs<int16_t>(codes, factor);
    case DataType::kInt32:
      return RecodedAs<int32_t>(codes, factor);
    default:
      return std::nullopt;
  }
}

}  // namespace preon
