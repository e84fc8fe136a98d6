#include "quantize/write/qdq_writer.h"

#include <algorithm>

#include "formats/bit_packing.h"
#include "formats/quark_operators.h"
#include "quantize/params/plan_params.h"

namespace preon {
namespace {

Shape ParamShape(const std::vector<QuantParams>& params) {
  return params.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(params.size())};
}

Tensor ScaleTensor(const std::vector<QuantParams>& params, const Shape& shape) {
  std::vector<float> scales;
  for (const QuantParams& p : params) scales.push_back(p.scale);
  return Tensor::FromFloats(shape, scales);
}

template <typename T>
Tensor ZeroPoints(DataType type, const std::vector<QuantParams>& params, const Shape& shape) {
  std::vector<T> values;
  for (const QuantParams& p : params) values.push_back(static_cast<T>(p.zero_point));
  return Tensor::From<T>(type, shape, values);
}

Tensor ZeroPointNibbles(DataType type, const std::vector<QuantParams>& params, const Shape& shape) {
  std::vector<uint32_t> values;
  for (const QuantParams& p : params) values.push_back(static_cast<uint32_t>(p.zero_point) & 0xF);
  Tensor tensor = Tensor::Allocate(type, shape);
  std::ranges::copy(PackBits(values, 4), tensor.MutableBytes().data());
  return tensor;
}

Tensor ZeroPointTensor(DataType type, const std::vector<QuantParams>& params, const Shape& shape) {
  switch (type) {
    case DataType::kInt8:
      return ZeroPoints<int8_t>(type, params, shape);
    case DataType::kUInt8:
      return ZeroPoints<uint8_t>(type, params, shape);
    case DataType::kInt16:
      return ZeroPoints<int16_t>(type, params, shape);
    case DataType::kUInt16:
      return ZeroPoints<uint16_t>(type, params, shape);
    case DataType::kInt32:
      return ZeroPoints<int32_t>(type, params, shape);
    case DataType::kUInt32:
      return ZeroPoints<uint32_t>(type, params, shape);
    case DataType::kInt4:
    case DataType::kUInt4:
      return ZeroPointNibbles(type, params, shape);
    default:
      return Tensor::Allocate(type, shape);  // floating: 0
  }
}

// Scales [channels] as they are multiplied with a tensor of that rank.
Shape BroadcastAlong(size_t rank, const EncodedTensor& encoded) {
  if (encoded.params.size() == 1) return {};
  Shape shape(rank, 1);
  shape[static_cast<size_t>(encoded.axis)] = static_cast<int64_t>(encoded.params.size());
  return shape;
}

}  // namespace

ParamNames QdqWriter::AddParams(const std::string& base, const std::vector<QuantParams>& params, DataType code_type,
                                const std::optional<Shape>& shape, const std::string& suffix) {
  ParamNames names{graph_.UniqueTensorName(base + "_scale" + suffix),
                   graph_.UniqueTensorName(base + "_zero_point" + suffix)};
  const Shape wanted = shape.value_or(ParamShape(params));
  graph_.SetInitializer(names.scale, ScaleTensor(params, wanted));
  graph_.SetInitializer(names.zero_point, ZeroPointTensor(code_type, params, wanted));
  params_.try_emplace(base + suffix, names);
  return names;
}

const ParamNames& QdqWriter::SharedParams(const std::string& base, const QuantParams& params, DataType code_type) {
  if (!params_.contains(base)) AddParams(base, {params}, code_type);
  return params_.at(base);
}

const char* QdqWriter::DomainOf(DataType code_type) const {
  if (!IsIntType(code_type) || code_type == DataType::kUInt32) return "";
  const bool is_byte = DataTypeBits(code_type) == 8;
  return pair_domain_ == PairDomain::kContrib || (pair_domain_ == PairDomain::kContribButBytes && !is_byte)
             ? kContribDomain
             : "";
}

RoundTripNames QdqWriter::OpenBehind(const std::string& tensor, bool public_name,
                                     const std::set<const Node*>* readers) {
  if (public_name) {
    const std::string source = graph_.UniqueTensorName(tensor + "_QuantizeLinear_Input");
    graph_.RenameOutput(tensor, source);
    return {source, tensor, tensor};
  }
  const std::string result = graph_.UniqueTensorName(tensor + "_DequantizeLinear_Output");
  for (const Use& use : graph_.Uses(tensor)) {
    if (use.captured || (readers != nullptr && readers->count(use.node) == 0)) continue;
    graph_.SetInput(use.node, use.input, result);
  }
  return {tensor, result, tensor};
}

RoundTripNames QdqWriter::OpenBehind(const std::string& constant, const std::vector<std::string>& nodes) {
  std::set<const Node*> readers;
  for (const std::string& name : nodes) readers.insert(graph_.FindNode(name));
  return OpenBehind(constant, /*public_name=*/false, &readers);
}

std::string QdqWriter::AddPair(const RoundTripNames& names, const ParamNames& params, int axis, bool library) {
  const auto name = [&](const std::string& op_type) {
    return names.added ? StrCat(names.base, kAddedSuffix, "_Extended", op_type)
                       : StrCat(names.base, "_", op_type, names.suffix);
  };
  const std::string codes = graph_.UniqueTensorName(names.added ? name("QuantizeLinear") + "_output"
                                                                : names.base + "_QuantizeLinear_Output" + names.suffix);
  const char* domain = library ? kQuarkDomain : DomainOf(graph_.Initializer(params.zero_point)->type());
  Node* quantize = graph_.AddNode(library ? kExtendedQuantizeLinear : "QuantizeLinear",
                                  {names.x, params.scale, params.zero_point}, {codes}, name("QuantizeLinear"), domain);
  Node* dequantize =
      graph_.AddNode(library ? kExtendedDequantizeLinear : "DequantizeLinear", {codes, params.scale, params.zero_point},
                     {names.y}, name("DequantizeLinear"), domain);
  for (Node* node : {quantize, dequantize}) {
    if (axis >= 0) node->attributes["axis"] = int64_t{axis};
  }
  return names.y;
}

void QdqWriter::AddCasts(const RoundTripNames& names, const EncodedTensor& encoded, const Shape& scale_shape) {
  const std::string codes = graph_.UniqueTensorName(names.base + "_quantized");
  graph_.SetInitializer(codes, encoded.codes);
  const bool scaled = encoded.params != std::vector{QuantParams{1, 0}};
  const std::string cast = scaled ? graph_.UniqueTensorName(names.base + "_cast") : names.y;
  graph_.AddNode("Cast", {codes}, {cast}, names.base + "_DequantizeLinear")->attributes["to"] =
      static_cast<int64_t>(DataType::kFloat);
  if (!scaled) return;
  const std::string scale = graph_.UniqueTensorName(names.base + "_scale");
  graph_.SetInitializer(scale, ScaleTensor(encoded.params, scale_shape));
  graph_.AddNode("Mul", {cast, scale}, {names.y}, names.base + "_scaled");
}

void QdqWriter::AddCodes(const RoundTripNames& names, const EncodedTensor& encoded, bool library) {
  const DataType type = encoded.codes.type();
  if (!library && (type == DataType::kFloat16 || type == DataType::kBFloat16))
    return AddCasts(names, encoded, BroadcastAlong(encoded.codes.shape().size(), encoded));
  const std::string codes = graph_.UniqueTensorName(names.base + "_quantized");
  const std::string node_name = names.base + "_DequantizeLinear";
  graph_.SetInitializer(codes, encoded.codes);
  std::optional<Shape> shape;
  if (encoded.block_size > 0) {
    shape = encoded.codes.shape();
    int64_t& extent = (*shape)[static_cast<size_t>(encoded.axis)];
    extent = (extent + encoded.block_size - 1) / encoded.block_size;
  }
  const ParamNames params = AddParams(names.base, encoded.params, type, shape);
  Node* dequantize = graph_.AddNode(library ? kExtendedDequantizeLinear : "DequantizeLinear",
                                    {codes, params.scale, params.zero_point}, {names.y}, node_name,
                                    library                  ? kQuarkDomain
                                    : encoded.block_size > 0 ? ""
                                                             : DomainOf(type));
  if (encoded.params.size() > 1 || encoded.block_size > 0) dequantize->attributes["axis"] = int64_t{encoded.axis};
  if (encoded.block_size > 0) dequantize->attributes["block_size"] = encoded.block_size;
}

void QdqWriter::AddBias(Node* node, const EncodedBias& encoded) {
  // A bias that others read too stays theirs: this node's has a name of its own.
  const std::string original = node->input(2);
  const bool sole_reader = graph_.UseCount(original) == 1;
  const std::string bias = sole_reader ? original : graph_.UniqueTensorName(original + "_" + node->name);
  const std::string codes = graph_.UniqueTensorName(bias + "_quantized");
  graph_.SetInitializer(codes, encoded.codes);
  const bool per_channel = encoded.scales.size() > 1;
  std::vector<QuantParams> params;
  for (float scale : encoded.scales) params.push_back({scale, 0});
  const ParamNames names = AddParams(codes, params, DataType::kInt32);
  // Quark gives a per-tensor bias scale the shape [1].
  if (!per_channel) graph_.SetInitializer(names.scale, graph_.Initializer(names.scale)->Reshaped({1}));
  graph_.SetInput(node, 2, "");
  if (sole_reader) graph_.RemoveInitializer(original);
  Node* dequantize = graph_.AddNode("DequantizeLinear", {codes, names.scale, names.zero_point}, {bias},
                                    bias + "_DequantizeLinear", DomainOf(DataType::kInt32));
  if (per_channel) dequantize->attributes["axis"] = int64_t{0};
  graph_.SetInput(node, 2, bias);
}

void QdqWriter::ReplaceBias(Node* node, const std::vector<float>& values) {
  const std::string corrected = graph_.UniqueTensorName(node->input(2) + "_corrected");
  graph_.SetInitializer(corrected, Tensor::FromFloats({static_cast<int64_t>(values.size())}, values));
  graph_.SetInput(node, 2, corrected);
}

}  // namespace preon
