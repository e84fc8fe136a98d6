#include "ops/op_base.h"

#include <stdexcept>
#include <vector>

#include "base/system.h"
#include "base/text.h"

namespace preon {
namespace {

bool Ok(OrtStatusPtr status) { return Ort::Status(status).IsOK(); }

bool GetInt(const OrtKernelInfo* info, const char* name, int64_t* value) {
  return Ok(Ort::GetApi().KernelInfoGetAttribute_int64(info, name, value));
}
bool GetFloat(const OrtKernelInfo* info, const char* name, float* value) {
  return Ok(Ort::GetApi().KernelInfoGetAttribute_float(info, name, value));
}
// Asks for the size first; it counts the end mark.
bool GetString(const OrtKernelInfo* info, const char* name, std::string* value) {
  size_t size = 0;
  if (!Ok(Ort::GetApi().KernelInfoGetAttribute_string(info, name, nullptr, &size)) || size == 0) return false;
  value->resize(size);
  if (!Ok(Ort::GetApi().KernelInfoGetAttribute_string(info, name, value->data(), &size))) return false;
  value->resize(size - 1);
  return true;
}

void ThrowIfPresent(const OrtKernelInfo* info, const char* name, const char* wanted) {
  if (HasAttribute(info, name)) ThrowUnlessOk(Error(ErrorId::kFormatAttribute, name, ": wanted ", wanted));
}

// The runtime would take a size that is neither known nor named for -1.
bool HasNamelessSize(const OrtApi& api, const OrtTensorTypeAndShapeInfo* info, size_t rank) {
  std::vector<int64_t> sizes(rank);
  std::vector<const char*> names(rank);
  if (!Ok(api.GetDimensions(info, sizes.data(), rank)) || !Ok(api.GetSymbolicDimensions(info, names.data(), rank)))
    return true;
  for (size_t axis = 0; axis < rank; ++axis)
    if (sizes[axis] < 0 && *names[axis] == '\0') return true;
  return false;
}

}  // namespace

void ThrowUnlessOk(const Status& status) {
  if (!status.ok()) throw std::runtime_error(StrCat("preon: ", status.ToString()));
}

bool HasAttribute(const OrtKernelInfo* info, const char* name) {
  int64_t integer = 0;
  float real = 0;
  std::string text;
  size_t size = 0;
  const OrtApi& api = Ort::GetApi();
  return GetInt(info, name, &integer) || GetFloat(info, name, &real) || GetString(info, name, &text) ||
         Ok(api.KernelInfoGetAttributeArray_int64(info, name, nullptr, &size)) ||
         Ok(api.KernelInfoGetAttributeArray_float(info, name, nullptr, &size));
}

int64_t IntAttribute(const OrtKernelInfo* info, const char* name, int64_t fallback) {
  int64_t value = fallback;
  if (GetInt(info, name, &value)) return value;
  ThrowIfPresent(info, name, "an integer");
  return fallback;
}

float FloatAttribute(const OrtKernelInfo* info, const char* name, float fallback) {
  float value = fallback;
  if (GetFloat(info, name, &value)) return value;
  ThrowIfPresent(info, name, "a float");
  return fallback;
}

std::string StringAttribute(const OrtKernelInfo* info, const char* name, const std::string& fallback) {
  std::string value;
  if (GetString(info, name, &value)) return value;
  ThrowIfPresent(info, name, "a string");
  return fallback;
}

ParallelFor ThreadsOf(const Ort::KernelContext& context) {
  static const int cores = AvailableCores();  // asks the system: too slow for every run
  return RuntimeThreads(context, static_cast<size_t>(cores));
}

OrtStatusPtr InferFromInput(OrtShapeInferContext* context, size_t like) {
  const OrtApi& api = Ort::GetApi();
  // Owned by the context.
  OrtTensorTypeAndShapeInfo* data = nullptr;
  OrtTensorTypeAndShapeInfo* typed = nullptr;
  if (!Ok(api.ShapeInferContext_GetInputTypeShape(context, 0, &data)) || data == nullptr) return nullptr;
  // The runtime shows a shape that it does not know as that of a scalar; nothing is said about either.
  size_t rank = 0;
  if (!Ok(api.GetDimensionsCount(data, &rank)) || rank == 0) return nullptr;
  if (HasNamelessSize(api, data, rank)) return nullptr;
  if (like == 0) return api.ShapeInferContext_SetOutputTypeShape(context, 0, data);
  if (!Ok(api.ShapeInferContext_GetInputTypeShape(context, like, &typed)) || typed == nullptr) return nullptr;
  return AsOrtStatus([&] {
    const Ort::ConstTensorTypeAndShapeInfo from(data), type(typed);
    const std::vector<int64_t> dims = from.GetShape();
    std::vector<const char*> names(dims.size());
    from.GetSymbolicDimensions(names.data(), names.size());
    OrtTensorTypeAndShapeInfo* made = nullptr;
    Ort::ThrowOnError(api.CreateTensorTypeAndShapeInfo(&made));
    const Ort::TensorTypeAndShapeInfo owner(made);
    Ort::ThrowOnError(api.SetTensorElementType(made, type.GetElementType()));
    Ort::ThrowOnError(api.SetDimensions(made, dims.data(), dims.size()));
    Ort::ThrowOnError(api.SetSymbolicDimensions(made, names.data(), names.size()));
    Ort::ThrowOnError(api.ShapeInferContext_SetOutputTypeShape(context, 0, made));
  });
}

}  // namespace preon
