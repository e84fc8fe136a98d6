// Tensors between preon and ONNX.
#pragma once

#include <onnx/onnx_pb.h>

#include "base/status.h"
#include "base/tensor.h"
#include "ir/external_data.h"

namespace preon {

/// Takes the tensor's bytes out of `proto` (raw data are moved, not copied) and leaves there what a Tensor does not
/// hold: name, doc string, metadata.
/// Errors: kModelInvalid (negative or huge dimensions, size does not fit), kModelTypeUnsupported, those of
/// ExternalData.
Result<Tensor> TakeTensor(onnx::TensorProto* proto, ExternalData& external);

/// Type, dimensions and strings; for other types all but the bytes.
void WriteTensorHeader(const Tensor& tensor, onnx::TensorProto* proto);
/// Everything, bytes as raw data.
void WriteTensor(const Tensor& tensor, onnx::TensorProto* proto);

/// Moves all external tensors below `message` into it: for parts that preon keeps as they are but may save elsewhere.
Status InlineExternalTensors(google::protobuf::Message* message, ExternalData& external);

}  // namespace preon
