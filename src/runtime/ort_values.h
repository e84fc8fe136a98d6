// Inside runtime/: preon's tensors as the runtime's values and back, without copying numbers.
#pragma once

#include <memory>

#include "base/status.h"
#include "base/tensor.h"
#include "runtime/ort_guard.h"

namespace preon {

/// A value over the tensor's bytes, which must outlive it; strings are copied. Throws Ort::Exception.
Ort::Value BorrowAsValue(const Tensor& tensor);

/// The value's tensor over the value's bytes, which must outlive it; strings are copied. Throws Ort::Exception.
/// Errors: kModelTypeUnsupported when it holds no tensor.
Result<Tensor> BorrowTensor(Ort::ConstValue value);

/// The value's tensor; its bytes stay where they are and keep `value` alive. Throws Ort::Exception.
/// Errors: kModelTypeUnsupported when it holds no tensor.
Result<Tensor> TakeTensorOfValue(Ort::Value value);

}  // namespace preon
