#include "runtime/ort_values.h"

#include <cstring>
#include <utility>
#include <vector>

namespace preon {
namespace {

std::vector<std::string> CopyStrings(const Ort::ConstValue& value, size_t count) {
  std::vector<std::string> strings(count);
  for (size_t element = 0; element < count; ++element) strings[element] = value.GetStringTensorElement(element);
  return strings;
}

Result<Tensor> TensorOver(const Ort::ConstValue& value, std::shared_ptr<const void> owner) {
  if (!value.HasValue() || !value.IsTensor()) return Error(ErrorId::kModelTypeUnsupported, "not a tensor");
  const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
  const auto type = static_cast<DataType>(info.GetElementType());
  Shape shape = info.GetShape();
  if (type == DataType::kString)
    return Tensor::FromStrings(std::move(shape), CopyStrings(value, info.GetElementCount()));
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(value.GetTensorRawData()),
                                         PackedSizeBytes(type, ElementCount(shape)));
  return Tensor(type, std::move(shape), bytes, std::move(owner));
}

}  // namespace

Ort::Value BorrowAsValue(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const auto type = static_cast<ONNXTensorElementDataType>(tensor.type());  // the numbers are ONNX's in both
  if (tensor.type() == DataType::kString) {
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::Value value = Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type);
    for (size_t element = 0; element < tensor.strings().size(); ++element) {
      const std::string& text = tensor.strings()[element];  // may hold zero bytes
      std::memcpy(value.GetResizedStringTensorElementBuffer(element, text.size()), text.data(), text.size());
    }
    return value;
  }
  // The runtime reads inputs only, though its interface takes them as mutable. It wants an address even for none.
  static const std::byte kNothing{};
  const std::byte* bytes = tensor.bytes().empty() ? &kNothing : tensor.bytes().data();
  return Ort::Value::CreateTensor(Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault),
                                  const_cast<std::byte*>(bytes), tensor.bytes().size(), shape.data(), shape.size(),
                                  type);
}

Result<Tensor> BorrowTensor(Ort::ConstValue value) { return TensorOver(value, nullptr); }

Result<Tensor> TakeTensorOfValue(Ort::Value value) {
  auto owner = std::make_shared<Ort::Value>(std::move(value));
  return TensorOver(owner->GetConst(), owner);
}

}  // namespace preon
