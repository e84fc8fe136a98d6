// Shape inference of operators of other domains that quantized models consist of: ONNX Runtime's own (com.microsoft)
// and those of Quark's library (com.amd.quark, com.vai.quantize). No name stands for two of them.
#pragma once

#include <onnx/defs/schema.h>

#include <string_view>

namespace preon {

/// With an inference function and nothing else; null for other domains, and for operators that are not in the table.
const onnx::OpSchema* RuntimeSchema(std::string_view domain, std::string_view op_type);

}  // namespace preon
