#include "runtime/served/served_op.h"

#include <cstring>
#include <stdexcept>

#include "base/data_type.h"
#include "runtime/op_tools.h"
#include "runtime/ort_values.h"

namespace preon {
namespace {

// Inputs of the node that are parts of the model.
constexpr size_t kParts = 2;

/// In words for whoever called the host.
template <typename T>
T ValueOrThrow(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return std::move(result).value();
}

Ort::ConstValue ConstantInput(const Ort::ConstKernelInfo& info, size_t index) {
  int is_constant = 0;
  const Ort::ConstValue value = info.GetTensorConstantInput(index, &is_constant);
  if (is_constant == 0) throw std::runtime_error("Instrumented: a part of the model is not a constant");
  return value;
}

std::string_view Bytes(const Ort::ConstValue& value) {
  return {static_cast<const char*>(value.GetTensorRawData()), value.GetTensorTypeAndShapeInfo().GetElementCount()};
}

void CopyToOutput(const Ort::KernelContext& context, size_t index, const Tensor& tensor) {
  Ort::UnownedValue output = context.GetOutput(index, tensor.shape());
  if (static_cast<const OrtValue*>(output) == nullptr) return;  // nobody reads it
  const auto promised = static_cast<DataType>(output.GetTensorTypeAndShapeInfo().GetElementType());
  if (promised != tensor.type()) {
    throw std::runtime_error(StrCat("Instrumented: output ", index, " is ", DataTypeName(tensor.type()),
                                    " where the model around it says ", DataTypeName(promised)));
  }
  if (tensor.type() == DataType::kString) {
    std::vector<const char*> strings;
    for (const std::string& text : tensor.strings()) strings.push_back(text.c_str());
    if (!strings.empty()) output.FillStringTensor(strings.data(), strings.size());
  } else if (!tensor.bytes().empty()) {
    std::memcpy(output.GetTensorMutableRawData(), tensor.bytes().data(), tensor.bytes().size());
  }
}

}  // namespace

class ServedKernel {
 public:
  ServedKernel(OpenServedModel open, const std::shared_ptr<const HostOptions>& host, const OrtKernelInfo* info) {
    const Ort::ConstKernelInfo node(info);
    const std::string description = node.GetAttribute<std::string>(kDescriptionAttribute);
    const Ort::ConstValue model = ConstantInput(node, 0), block_model = ConstantInput(node, 1);
    model_ = ValueOrThrow(open({description, Bytes(model), Bytes(block_model), host}));
  }

  OrtStatusPtr ComputeV2(OrtKernelContext* ort_context) const {
    return AsOrtStatus([&] {
      const Ort::KernelContext context(ort_context);
      std::vector<Tensor> feeds;
      for (size_t input = kParts; input < context.GetInputCount(); ++input)
        feeds.push_back(ValueOrThrow(BorrowTensor(context.GetInput(input))));
      const std::vector<NamedTensor> outputs = ValueOrThrow(model_->Run(std::move(feeds)));
      if (outputs.size() != context.GetOutputCount()) {
        throw std::runtime_error(
            StrCat("Instrumented: ", outputs.size(), " outputs for a node with ", context.GetOutputCount()));
      }
      for (size_t output = 0; output < outputs.size(); ++output) CopyToOutput(context, output, outputs[output].tensor);
    });
  }

 private:
  std::unique_ptr<ServedModel> model_;
};

ServedOp::ServedOp(OpenServedModel open, std::shared_ptr<const HostOptions> host)
    : open_(open), host_(std::move(host)) {}

OrtStatusPtr ServedOp::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  return AsOrtStatus([&] { *kernel = new ServedKernel(open_, host_, info); });
}

}  // namespace preon
