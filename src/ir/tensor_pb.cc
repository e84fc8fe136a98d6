#include "ir/tensor_pb.h"

#include <utility>

#include "base/file_kind.h"
#include "ir/tensor_proto.h"

namespace preon {

Result<NamedTensor> ParseTensorProto(std::span<const std::byte> bytes, const std::string& where) {
  onnx::TensorProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !proto.has_data_type()) {
    return Error(ErrorId::kDataMalformed, where, ": no serialized TensorProto, or cut short (",
                 KindOrSize(bytes, bytes.size()), ")");
  }
  // SequenceProto and OptionalProto keep their values in field 3, a TensorProto its segment.
  if (proto.has_segment())
    return Error(ErrorId::kDataUnsupported, where, ": a sequence or an optional; wanted a tensor");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return Error(ErrorId::kDataUnsupported, where, ": its values lie in another file; wanted them inside");
  }
  std::string name = proto.name();
  ExternalData none("");
  Result<Tensor> tensor = TakeTensor(&proto, none);
  if (!tensor.ok()) {
    const bool unsupported = tensor.status().id() == ErrorId::kModelTypeUnsupported;
    return Error(unsupported ? ErrorId::kDataUnsupported : ErrorId::kDataMalformed, where, ": ",
                 tensor.status().message());
  }
  return NamedTensor{std::move(name), std::move(*tensor)};
}

}  // namespace preon
