#include "ir/schemas/runtime_schemas.h"

#include <onnx/defs/shape_inference.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace preon {
namespace {

// The operator gives what ONNX's gives for some of its inputs.
struct Twin {
  std::string_view op_type, of_onnx;
  std::vector<size_t> inputs = {0};
  size_t more = 0;  ///< from here on each third input as well; 0 = none
};

// Codes, scale and zero point of each operand follow each other. Source: ONNX Runtime, docs/ContribOperators.md;
// src/ops/register_ops.cc for those of Quark, which under its older domain have other names.
const std::vector<Twin>& Twins() {
  static const std::vector<Twin> twins = {
      {"QLinearAdd", "Add", {0, 3}},
      {"QLinearMul", "Mul", {0, 3}},
      {"QGemm", "Gemm", {0, 3}},
      {"QLinearSigmoid", "Sigmoid"},
      {"QLinearLeakyRelu", "LeakyRelu"},
      {"QLinearSoftmax", "Softmax"},
      {"QLinearAveragePool", "AveragePool"},
      {"QLinearGlobalAveragePool", "GlobalAveragePool"},
      {"QLinearConcat", "Concat", {2}, 5},
      {"QuantizeLinear", "QuantizeLinear", {0, 1, 2}},
      {"DequantizeLinear", "DequantizeLinear", {0, 1, 2}},
      {"ExtendedQuantizeLinear", "QuantizeLinear", {0, 1, 2}},
      {"ExtendedDequantizeLinear", "DequantizeLinear", {0, 1, 2}},
      {"VitisQuantizeLinear", "QuantizeLinear", {0, 1, 2}},
      {"VitisDequantizeLinear", "DequantizeLinear", {0, 1, 2}},
      {"BFPQuantizeDequantize", "Identity"},
      {"BFPFixNeuron", "Identity"},
      {"MXQuantizeDequantize", "Identity"},
      {"MXFixNeuron", "Identity"},
      {"ExtendedInstanceNormalization", "Identity"},
      {"VitisInstanceNormalization", "Identity"},
      {"ExtendedLSTM", "LSTM"},
      {"VitisLSTM", "LSTM"},
  };
  return twins;
}

// The context of a node of ONNX's operator with some of the inputs.
class ContextOfTwin final : public onnx::InferenceContext {
 public:
  ContextOfTwin(onnx::InferenceContext& context, const Twin& twin) : context_(context), inputs_(twin.inputs) {
    for (size_t input = twin.more; twin.more > 0 && input < context.getNumInputs(); input += 3)
      inputs_.push_back(input);
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    return context_.getAttribute(name);
  }
  size_t getNumInputs() const override { return inputs_.size(); }
  const onnx::TypeProto* getInputType(size_t index) const override {
    return index < inputs_.size() && inputs_[index] < context_.getNumInputs() ? context_.getInputType(inputs_[index])
                                                                              : nullptr;
  }
  const onnx::TensorProto* getInputData(size_t) const override { return nullptr; }
  size_t getNumOutputs() const override { return context_.getNumOutputs(); }
  onnx::TypeProto* getOutputType(size_t index) override { return context_.getOutputType(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override {
    return context_.getGraphAttributeInferencer(name);
  }
  const onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(size_t) const override { return nullptr; }

 private:
  onnx::InferenceContext& context_;
  std::vector<size_t> inputs_;
};

// Of images that lie [N, H, W, C] no more than the type is known.
void InferTwin(onnx::InferenceContext& context, const Twin& twin) {
  if (onnx::getAttribute(context, "channels_last", 0) != 0) {
    onnx::propagateElemTypeFromInputToOutput(context, 0, 0);
    return;
  }
  ContextOfTwin of_onnx(context, twin);
  onnx::OpSchemaRegistry::Schema(std::string(twin.of_onnx))->GetTypeAndShapeInferenceFunction()(of_onnx);
  constexpr size_t kScaleOfResult = 7;
  const bool gives_floats = twin.op_type == "QGemm" && (context.getNumInputs() <= kScaleOfResult ||
                                                        context.getInputType(kScaleOfResult) == nullptr);
  if (gives_floats) onnx::updateOutputElemType(context, 0, onnx::TensorProto::FLOAT);
}

// y = A · B with B packed: the last axis of A becomes N.
void InferMatMulNBits(onnx::InferenceContext& context) {
  onnx::propagateElemTypeFromInputToOutput(context, 0, 0);
  if (!onnx::hasInputShape(context, 0)) return;
  onnx::TensorShapeProto shape = context.getInputType(0)->tensor_type().shape();
  if (shape.dim_size() == 0) return;
  shape.mutable_dim(shape.dim_size() - 1)->set_dim_value(onnx::getAttribute(context, "N", int64_t{0}));
  onnx::updateOutputShape(context, 0, shape);
}

std::map<std::string_view, onnx::OpSchema> MakeSchemas() {
  std::map<std::string_view, onnx::OpSchema> schemas;
  for (const Twin& twin : Twins())
    schemas[twin.op_type].TypeAndShapeInferenceFunction(
        [&twin](onnx::InferenceContext& context) { InferTwin(context, twin); });
  schemas["MatMulNBits"].TypeAndShapeInferenceFunction(InferMatMulNBits);
  return schemas;
}

}  // namespace

const onnx::OpSchema* RuntimeSchema(std::string_view domain, std::string_view op_type) {
  constexpr std::array<std::string_view, 3> kDomains = {"com.microsoft", "com.amd.quark", "com.vai.quantize"};
  if (std::ranges::find(kDomains, domain) == kDomains.end()) return nullptr;
  static const std::map<std::string_view, onnx::OpSchema> schemas = MakeSchemas();
  const auto found = schemas.find(op_type);
  return found == schemas.end() ? nullptr : &found->second;
}

}  // namespace preon
