// What the operators share: a name, one version, attributes with defaults, shapes that follow the first input.
#pragma once

#include <memory>
#include <string>

#include "base/parallel.h"
#include "base/status.h"
#include "runtime/op_tools.h"

namespace preon {

/// Failures leave a kernel as exceptions, which AsOrtStatus turns into the runtime's.
void ThrowUnlessOk(const Status& status);
template <typename T>
T ValueOrThrow(Result<T> result) {
  ThrowUnlessOk(result.status());
  return std::move(result).value();
}

/// The attribute, or `fallback` where the node has none. An attribute of another type is an error.
int64_t IntAttribute(const OrtKernelInfo* info, const char* name, int64_t fallback);
float FloatAttribute(const OrtKernelInfo* info, const char* name, float fallback);
std::string StringAttribute(const OrtKernelInfo* info, const char* name, const std::string& fallback);
bool HasAttribute(const OrtKernelInfo* info, const char* name);

/// The session's own threads: no more than it has.
ParallelFor ThreadsOf(const Ort::KernelContext& context);

/// Left open in the declaration; a kernel checks what it gets.
inline constexpr ONNXTensorElementDataType kAnyType = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
inline constexpr ONNXTensorElementDataType kFloatType = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

/// Output 0 gets the shape of input 0 and the type of input `like`, where the graph has both.
OrtStatusPtr InferFromInput(OrtShapeInferContext* context, size_t like);

template <typename Kernel>
struct KernelShell {
  explicit KernelShell(const OrtKernelInfo* info) : kernel(info) {}
  OrtStatusPtr ComputeV2(OrtKernelContext* context) const {
    return AsOrtStatus([&] { kernel.Compute(Ort::KernelContext(context)); });
  }
  const Kernel kernel;
};

/// An operator of fixed numbers of inputs and one output. `Kernel` has arrays of types kInputs, a type kOutput,
/// kTypeLike (the input whose type the output has), a constructor from const OrtKernelInfo* and Compute(const
/// Ort::KernelContext&) const; both may throw.
template <typename Kernel>
class QuarkOp : public Ort::CustomOpBase<QuarkOp<Kernel>, KernelShell<Kernel>, /*WithStatus=*/true> {
 public:
  explicit QuarkOp(const char* name) : name_(name) {
    if constexpr (Kernel::kKeepsShape) {
      this->InferOutputShapeFn = [](const OrtCustomOp*, OrtShapeInferContext* context) -> OrtStatusPtr {
        return InferFromInput(context, Kernel::kTypeLike);
      };
    }
  }

  const char* GetName() const { return name_; }
  size_t GetInputTypeCount() const { return std::size(Kernel::kInputs); }
  ONNXTensorElementDataType GetInputType(size_t index) const { return Kernel::kInputs[index]; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return Kernel::kOutput; }
  OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
    return AsOrtStatus([&] { *kernel = new KernelShell<Kernel>(info); });
  }

 private:
  const char* name_;
};

}  // namespace preon
