// Element types of data: what converts to what a model wants, and the search for NaN and infinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/tensor_pool.h"

namespace preon {

/// Whether elements of `from` may become `to`: equal types; integers and bool among each other (each value must fit);
/// floats among each other to float, double and float16; bool and integers to floats that have all their values.
/// Never from floats to integers, nor from wide integers to floats: that usually means the arrays are mixed up.
bool IsConvertible(DataType from, DataType to);

/// `tensor` with elements of type `to`; itself if it has that type. Floats round to nearest even.
/// Errors: kDataType naming the first integer, or float for float16, that does not fit. `from` and `to` must be
/// convertible. `pool`: where the memory comes from.
Result<Tensor> ConvertElements(const Tensor& tensor, DataType to, const TensorPool& pool = {});

/// Flat index of the first NaN or infinity; nullopt if there is none or the type has none.
/// Cost: about the time to read the tensor from cache.
std::optional<int64_t> FindNotFinite(const Tensor& tensor);

/// kDataNotFinite naming `where` and the element's index, or Ok.
Status CheckFinite(const Tensor& tensor, const std::string& where);

}  // namespace preon
