// A library of operators as users write them, against ONNX Runtime's own headers: test.custom::Square, whose output has
// no shape before it runs, and test.custom::Halve, which says that it keeps the shape. The build makes several kinds of
// it (cmake/PreonTests.cmake).
#include <array>
#include <cstddef>
#include <cstdint>

// Not linked with a runtime: RegisterCustomOps gets the host's.
#define ORT_API_MANUAL_INIT
#include "onnxruntime_cxx_api.h"

namespace {

[[maybe_unused]] constexpr uint32_t kNewer = 99;

struct Kernel {
  float factor;
  bool square;

  void Compute(OrtKernelContext* context) {
    Ort::KernelContext kernel(context);
    const Ort::ConstValue input = kernel.GetInput(0);
    const auto info = input.GetTensorTypeAndShapeInfo();
    const float* from = input.GetTensorData<float>();
    float* to = kernel.GetOutput(0, info.GetShape()).GetTensorMutableData<float>();
    for (size_t index = 0; index < info.GetElementCount(); ++index)
      to[index] = factor * from[index] * (square ? from[index] : 1);
  }
};

template <bool kSquare>
struct Op : Ort::CustomOpBase<Op<kSquare>, Kernel> {
  Op() {
    if (kSquare) this->InferOutputShapeFn = nullptr;
#ifdef NEWER_API
    this->version = kNewer;
#endif
  }
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new Kernel{kSquare ? 1.0f : 0.5f, kSquare}; }
  const char* GetName() const { return kSquare ? "Square" : "Halve"; }
  size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  static Ort::Status InferOutputShape(Ort::ShapeInferContext& context) {
    context.SetOutputShape(0, context.GetInputShape(0));
    return Ort::Status(nullptr);
  }
};

}  // namespace

#ifndef NO_REGISTRATION
extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* runtime) {
#ifdef NEWER_API
  const OrtApi* api = runtime->GetApi(kNewer);
#else
  const OrtApi* api = runtime->GetApi(ORT_API_VERSION);
#endif
  Ort::InitApi(api);
#ifdef REFUSES
  return api->CreateStatus(ORT_FAIL, "its licence has expired");
#endif
  static const Op<true> square;
  static const Op<false> halve;
  static Ort::CustomOpDomain* const domain = [] {
    auto* made = new Ort::CustomOpDomain("test.custom");
    made->Add(&square);
    made->Add(&halve);
    return made;
  }();
  Ort::UnownedSessionOptions(options).Add(*domain);
#ifdef ADDS_TWICE
  Ort::UnownedSessionOptions(options).Add(*domain);
#endif
  return nullptr;
}
#endif
