// Inside runtime/: the custom operator preon.instrument.Instrumented, behind which a model runs in a session of its
// own.
#pragma once

#include <memory>

#include "runtime/host_options.h"
#include "runtime/served/served_node.h"

namespace preon {

class ServedKernel;

class ServedOp : public Ort::CustomOpBase<ServedOp, ServedKernel, /*WithStatus=*/true> {
 public:
  /// Models are opened with the options of the host's session.
  ServedOp(OpenServedModel open, std::shared_ptr<const HostOptions> host);

  const char* GetName() const { return kInstrumentedOp; }
  // The model's two parts, then any number of inputs of any type.
  size_t GetInputTypeCount() const { return 3; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t input) const {
    return input < 2 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED; }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(size_t input) const {
    return input < 2 ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_VARIADIC;
  }
  OrtCustomOpInputOutputCharacteristic GetOutputCharacteristic(size_t) const { return INPUT_OUTPUT_VARIADIC; }
  bool GetVariadicInputHomogeneity() const { return false; }
  bool GetVariadicOutputHomogeneity() const { return false; }
  int GetVariadicInputMinArity() const { return 0; }
  OrtStatusPtr CreateKernelV2(const OrtApi& api, const OrtKernelInfo* info, void** kernel) const;

 private:
  OpenServedModel open_;
  std::shared_ptr<const HostOptions> host_;
};

}  // namespace preon
