#include "quantize/qdq_writer.h"

#include <algorithm>

namespace preon {
namespace {

Tensor ScaleTensor(const std::vector<QuantParams>& params) {
  std::vector<float> scales;
  for (const QuantParams& p : params) scales.push_back(p.scale);
  return Tensor::FromFloats(params.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(params.size())}, scales);
}

template <typename T>
Tensor ZeroPoints(DataType type, const std::vector<QuantParams>& params) {
  std::vector<T> values;
  for (const QuantParams& p : params) values.push_back(static_cast<T>(p.zero_point));
  return Tensor::From<T>(type, params.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(params.size())}, values);
}

Tensor ZeroPointTensor(DataType type, const std::vector<QuantParams>& params) {
  switch (type) {
    case DataType::kInt8: return ZeroPoints<int8_t>(type, params);
    case DataType::kUInt8: return ZeroPoints<uint8_t>(type, params);
    case DataType::kInt16: return ZeroPoints<int16_t>(type, params);
    case DataType::kUInt16: return ZeroPoints<uint16_t>(type, params);
    default: PREON_CHECK(type == DataType::kInt32); return ZeroPoints<int32_t>(type, params);
  }
}

}  // namespace

ParamNames QdqWriter::AddParams(const std::string& base, const std::vector<QuantParams>& params, DataType code_type) {
  ParamNames names{graph_.UniqueTensorName(base + "_scale"), graph_.UniqueTensorName(base + "_zero_point")};
  graph_.SetInitializer(names.scale, ScaleTensor(params));
  graph_.SetInitializer(names.zero_point, ZeroPointTensor(code_type, params));
  return names;
}

std::string QdqWriter::AddPair(const std::string& tensor, const ParamNames& params, bool public_name,
                               const std::set<const Node*>* readers) {
  const std::string codes = graph_.UniqueTensorName(tensor + "_QuantizeLinear_Output");
  std::string source = tensor;
  std::string result = tensor;
  if (public_name) {
    source = graph_.UniqueTensorName(tensor + "_QuantizeLinear_Input");
    graph_.RenameOutput(tensor, source);
  } else {
    result = graph_.UniqueTensorName(tensor + "_DequantizeLinear_Output");
    for (const Use& use : graph_.Uses(tensor)) {
      if (use.captured || (readers != nullptr && readers->count(use.node) == 0)) continue;
      graph_.SetInput(use.node, use.input, result);
    }
  }
  graph_.AddNode("QuantizeLinear", {source, params.scale, params.zero_point}, {codes}, tensor + "_QuantizeLinear");
  graph_.AddNode("DequantizeLinear", {codes, params.scale, params.zero_point}, {result}, tensor + "_DequantizeLinear");
  return result;
}

void QdqWriter::AddWeight(const std::string& weight, const EncodedTensor& encoded, const std::vector<std::string>& nodes) {
  const std::string codes = graph_.UniqueTensorName(weight + "_quantized");
  const std::string result = graph_.UniqueTensorName(weight + "_DequantizeLinear_Output");
  graph_.SetInitializer(codes, encoded.codes);
  const ParamNames params = AddParams(weight, encoded.params, encoded.codes.type());
  Node* dequantize = graph_.AddNode("DequantizeLinear", {codes, params.scale, params.zero_point}, {result},
                                    weight + "_DequantizeLinear");
  if (encoded.params.size() > 1) dequantize->attributes["axis"] = int64_t{encoded.axis};
  for (const std::string& name : nodes) {
    Node* node = graph_.FindNode(name);
    for (size_t index = 0; index < node->inputs().size(); ++index) {
      if (node->input(index) == weight) graph_.SetInput(node, index, result);
    }
  }
}

void QdqWriter::AddBias(Node* node, const EncodedBias& encoded) {
  const std::string bias = node->input(2);
  const std::string codes = graph_.UniqueTensorName(bias + "_quantized");
  graph_.SetInitializer(codes, encoded.codes);
  const bool per_channel = encoded.scales.size() > 1;
  std::vector<QuantParams> params;
  for (float scale : encoded.scales) params.push_back({scale, 0});
  const ParamNames names = AddParams(codes, params, DataType::kInt32);
  // A per-tensor bias scale has shape [1] in the reference's layout (spec qdq §3.2).
  if (!per_channel) graph_.SetInitializer(names.scale, graph_.Initializer(names.scale)->Reshaped({1}));
  const bool sole_reader = graph_.UseCount(bias) == 1;
  graph_.SetInput(node, 2, "");
  if (sole_reader) graph_.RemoveInitializer(bias);
  const std::string result = sole_reader ? bias : graph_.UniqueTensorName(bias + "_" + node->name);
  Node* dequantize = graph_.AddNode("DequantizeLinear", {codes, names.scale, names.zero_point}, {result}, bias + "_DequantizeLinear");
  if (per_channel) dequantize->attributes["axis"] = int64_t{0};
  graph_.SetInput(node, 2, result);
}

void QdqWriter::AddIslandDq(Node* node, int64_t channels, const QuantParams& params, DataType code_type) {
  const Node* dequantize = graph_.Producer(node->input(0));
  if (dequantize == nullptr || !dequantize->Is("DequantizeLinear")) return;
  const std::string codes = dequantize->input(0);
  const std::string base = node->name + "_island";
  const ParamNames names = AddParams(base, std::vector<QuantParams>(static_cast<size_t>(channels), params), code_type);
  const std::string result = graph_.UniqueTensorName(base + "_DequantizeLinear_Output");
  Node* own = graph_.AddNode("DequantizeLinear", {codes, names.scale, names.zero_point}, {result}, base + "_DequantizeLinear");
  own->attributes["axis"] = int64_t{1};
  graph_.SetInput(node, 0, result);
}

}  // namespace preon
