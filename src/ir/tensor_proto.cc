#include "ir/tensor_proto.h"

#include <charconv>
#include <limits>
#include <memory>
#include <utility>

namespace preon {
namespace {

Status SizeMismatch(int64_t got, std::string_view unit, DataType type, const Shape& shape) {
  return Error(ErrorId::kModelInvalid, "holds ", got, " ", unit, ", which does not fit ", DataTypeName(type), " ",
               ShapeToString(shape));
}

// Dimensions that are not negative and whose bytes can be addressed.
Result<Shape> CheckedShape(const onnx::TensorProto& proto, DataType type) {
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (!IsStatic(shape)) {
    std::string dims;
    for (int64_t dim : shape) dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
    return Error(ErrorId::kModelInvalid, "a dimension is negative: [", dims, "]");
  }
  if (ElementCount(shape) > std::numeric_limits<int64_t>::max() / 128) {
    return Error(ErrorId::kModelInvalid, "shape ", ShapeToString(shape), " of ", DataTypeName(type), " is too large");
  }
  return shape;
}

Result<ExternalPlace> PlaceOf(const onnx::TensorProto& proto) {
  ExternalPlace place;
  for (const auto& entry : proto.external_data()) {
    const std::string& text = entry.value();
    if (entry.key() == "location") place.location = text;
    if (entry.key() != "offset" && entry.key() != "length") continue;
    int64_t& number = entry.key() == "offset" ? place.offset : place.length;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) {
      return Error(ErrorId::kModelInvalid, "external data: ", entry.key(), " '", text, "', wanted a number of bytes");
    }
  }
  return place;
}

// Each stored value becomes one Stored: int32_data holds also 8- and 16-bit types, one per field, 4-bit types two.
template <typename Stored, typename Field>
Result<Tensor> FromField(const Field& field, DataType type, const Shape& shape) {
  Tensor tensor = Tensor::Allocate(type, shape);
  const std::span<Stored> values = tensor.Mutable<Stored>();
  if (static_cast<size_t>(field.size()) != values.size()) return SizeMismatch(field.size(), "values", type, shape);
  for (size_t index = 0; index < values.size(); ++index) {
    values[index] = static_cast<Stored>(field.Get(static_cast<int>(index)));
  }
  return tensor;
}

Result<Tensor> FromTypedData(const onnx::TensorProto& proto, DataType type, const Shape& shape) {
  // Allocate only what the fields can fill: the dimensions are not to be trusted.
  const int64_t fields = int64_t{proto.float_data_size()} + proto.int32_data_size() + proto.int64_data_size() +
                         proto.double_data_size() + proto.uint64_data_size();
  if (ElementCount(shape) / 4 > fields) return SizeMismatch(fields, "values", type, shape);
  switch (type) {
    case DataType::kFloat:
    case DataType::kComplex64:
      return FromField<float>(proto.float_data(), type, shape);
    case DataType::kDouble:
    case DataType::kComplex128:
      return FromField<double>(proto.double_data(), type, shape);
    case DataType::kInt64:
      return FromField<int64_t>(proto.int64_data(), type, shape);
    case DataType::kUInt64:
      return FromField<uint64_t>(proto.uint64_data(), type, shape);
    case DataType::kUInt32:
      return FromField<uint32_t>(proto.uint64_data(), type, shape);
    case DataType::kInt32:
      return FromField<int32_t>(proto.int32_data(), type, shape);
    default:
      return DataTypeBits(type) == 16 ? FromField<uint16_t>(proto.int32_data(), type, shape)
                                      : FromField<uint8_t>(proto.int32_data(), type, shape);
  }
}

Result<Tensor> FromRawData(onnx::TensorProto* proto, DataType type, const Shape& shape) {
  std::shared_ptr<std::string> raw(proto->release_raw_data());
  if (raw->size() != PackedSizeBytes(type, ElementCount(shape))) {
    return SizeMismatch(static_cast<int64_t>(raw->size()), "bytes", type, shape);
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(raw->data(), raw->size()));
  return Tensor(type, shape, bytes, std::move(raw));
}

Result<Tensor> FromStrings(onnx::TensorProto* proto, const Shape& shape) {
  std::vector<std::string> strings(std::make_move_iterator(proto->mutable_string_data()->begin()),
                                   std::make_move_iterator(proto->mutable_string_data()->end()));
  if (static_cast<int64_t>(strings.size()) != ElementCount(shape)) {
    return SizeMismatch(static_cast<int64_t>(strings.size()), "strings", DataType::kString, shape);
  }
  return Tensor::FromStrings(shape, std::move(strings));
}

Result<Tensor> ConvertTensor(onnx::TensorProto* proto, ExternalData& external) {
  const DataType type = static_cast<DataType>(proto->data_type());
  if (DataTypeBits(type) == 0 && type != DataType::kString) {
    return Error(ErrorId::kModelTypeUnsupported, "element type ", proto->data_type(), " is not supported");
  }
  if (proto->has_segment()) return Error(ErrorId::kModelTypeUnsupported, "is stored in segments; wanted one piece");
  PREON_ASSIGN_OR_RETURN(const Shape shape, CheckedShape(*proto, type));
  const bool is_external = proto->data_location() == onnx::TensorProto::EXTERNAL;
  if (type == DataType::kString) {
    if (is_external || proto->has_raw_data()) {
      return Error(ErrorId::kModelInvalid, "strings can't be stored as raw or external data");
    }
    return FromStrings(proto, shape);
  }
  if (is_external) {
    PREON_ASSIGN_OR_RETURN(const ExternalPlace place, PlaceOf(*proto));
    return external.Read(place, type, shape);
  }
  return proto->has_raw_data() ? FromRawData(proto, type, shape) : FromTypedData(*proto, type, shape);
}

}  // namespace

Result<Tensor> TakeTensor(onnx::TensorProto* proto, ExternalData& external) {
  Result<Tensor> tensor = ConvertTensor(proto, external);
  if (!tensor.ok()) return std::move(tensor).status().WithContext("tensor ", proto->name());
  proto->clear_dims();
  proto->clear_data_type();
  proto->clear_float_data();
  proto->clear_int32_data();
  proto->clear_string_data();
  proto->clear_int64_data();
  proto->clear_raw_data();
  proto->clear_external_data();
  proto->clear_data_location();
  proto->clear_double_data();
  proto->clear_uint64_data();
  return tensor;
}

void WriteTensorHeader(const Tensor& tensor, onnx::TensorProto* proto) {
  proto->set_data_type(static_cast<int32_t>(tensor.type()));
  for (int64_t dim : tensor.shape()) proto->add_dims(dim);
  if (tensor.type() == DataType::kString) {
    for (const std::string& text : tensor.strings()) proto->add_string_data(text);
  }
}

void WriteTensor(const Tensor& tensor, onnx::TensorProto* proto) {
  WriteTensorHeader(tensor, proto);
  if (tensor.type() != DataType::kString) proto->set_raw_data(tensor.bytes().data(), tensor.bytes().size());
}

Status InlineExternalTensors(google::protobuf::Message* message, ExternalData& external) {
  if (auto* tensor = google::protobuf::DynamicCastToGenerated<onnx::TensorProto>(message)) {
    if (tensor->data_location() != onnx::TensorProto::EXTERNAL) return Status::Ok();
    PREON_ASSIGN_OR_RETURN(const Tensor value, TakeTensor(tensor, external));
    WriteTensor(value, tensor);
    return Status::Ok();
  }
  const google::protobuf::Reflection* reflection = message->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      PREON_RETURN_IF_ERROR(InlineExternalTensors(reflection->MutableMessage(message, field), external));
      continue;
    }
    for (int index = 0; index < reflection->FieldSize(*message, field); ++index) {
      PREON_RETURN_IF_ERROR(InlineExternalTensors(reflection->MutableRepeatedMessage(message, field, index), external));
    }
  }
  return Status::Ok();
}

}  // namespace preon
