// TensorProto files, such as the input_K.pb of ONNX test sets.
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "base/tensor.h"

namespace preon {

/// A serialized TensorProto as a tensor under its own name (often empty). `where` stands in messages.
/// Errors: kDataMalformed; kDataUnsupported for a sequence, an optional or external data.
Result<NamedTensor> ParseTensorProto(std::span<const std::byte> bytes, const std::string& where);

}  // namespace preon
