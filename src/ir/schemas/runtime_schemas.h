// Shape inference of ONNX Runtime's own operators (com.microsoft) that quantized models consist of.
#pragma once

#include <onnx/defs/schema.h>

#include <string_view>

namespace preon {

/// With an inference function and nothing else; null for operators that are not in the table.
const onnx::OpSchema* RuntimeSchema(std::string_view op_type);

}  // namespace preon
