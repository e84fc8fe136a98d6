// Codes of a constant for another scale.
#pragma once

#include <functional>
#include <optional>

#include "base/tensor.h"

namespace preon {

/// Round half to even(code x factor), cut to what the type holds. @param factor  of the element with this index
/// Nullopt for types other than int8, int16 and int32.
std::optional<Tensor> Recoded(const Tensor& codes, const std::function<double(size_t index)>& factor);

}  // namespace preon
