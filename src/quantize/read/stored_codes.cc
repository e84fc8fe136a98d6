#include "quantize/read/stored_codes.h"

#include <algorithm>

#include "base/str_cat.h"
#include "formats/linear_codec.h"
#include "formats/quark_operators.h"
#include "ir/attribute_text.h"
#include "ir/constant_value.h"

namespace preon {
namespace {

// Of scales and of zero points; empty where no constant holds them.
std::vector<float> NumbersOf(const Graph& graph, const std::string& tensor) {
  const Tensor* value = ConstantValue(graph, tensor);
  if (value == nullptr) return {};
  if (value->type() == DataType::kFloat) return {value->floats().begin(), value->floats().end()};
  const bool decodes = IsIntType(value->type()) || IntFormat{.type = value->type()}.floating();
  if (!decodes) return {};
  const Tensor decoded = DecodeTensor({.codes = *value, .params = {QuantParams()}});
  return {decoded.floats().begin(), decoded.floats().end()};
}

DataType CodeTypeOf(const Graph& graph, const Node& node) {
  if (!node.input(2).empty()) return graph.TypeOf(node.input(2));
  const DataType type = graph.TypeOf(QuantizesTensor(node) ? node.output() : node.input(0));
  if (type != DataType::kUndefined) return type;
  return static_cast<DataType>(node.Int("output_dtype", static_cast<int64_t>(DataType::kUInt8)));
}

// An error where a file says what its codes don't have.
Result<ParamLayout> LayoutOf(const StoredCodes& codes, const Shape& shape) {
  if (codes.block_size > 0) return ParamLayout::PerBlock(shape, codes.axis, codes.block_size);
  if (codes.axis >= 0) return ParamLayout::PerAxis(shape, codes.axis);
  return ParamLayout::PerTensor(ElementCount(shape));
}

}  // namespace

bool QuantizesTensor(const Node& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == kExtendedQuantizeLinear;
}

bool DequantizesTensor(const Node& node) {
  return node.op_type == "DequantizeLinear" || node.op_type == kExtendedDequantizeLinear;
}

bool RoundsToBlocks(const Node& node) {
  return node.op_type == kBfpQuantizeDequantize || node.op_type == kMxQuantizeDequantize;
}

StoredCodes CodesAt(const Graph& graph, const Node& node) {
  StoredCodes codes;
  if (RoundsToBlocks(node)) {
    codes.format = node.op_type;
    for (const auto& [name, value] : node.attributes) codes.format += StrCat(" ", name, "=", AttributeText(value));
    return codes;
  }
  codes.type = CodeTypeOf(graph, node);
  codes.format = DataTypeName(codes.type);
  const std::vector<float> scales = NumbersOf(graph, node.input(1)), zeros = NumbersOf(graph, node.input(2));
  if (scales.empty() || (!node.input(2).empty() && zeros.size() != scales.size())) return codes;
  for (size_t index = 0; index < scales.size(); ++index)
    codes.params.push_back({scales[index], zeros.empty() ? 0 : static_cast<int64_t>(zeros[index])});
  codes.block_size = node.Int("block_size", 0);
  if (codes.params.size() == 1 && codes.block_size == 0) return codes;
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  const int64_t axis = node.Int("axis", 1);
  codes.axis = static_cast<int>(axis < 0 && shape ? axis + static_cast<int64_t>(shape->size()) : axis);
  return codes;
}

Tensor DecodedValues(const Tensor& stored, const StoredCodes& codes) {
  if (codes.type != stored.type()) return {};
  const Result<ParamLayout> layout = LayoutOf(codes, stored.shape());
  if (!layout.ok() || layout->params() != static_cast<int64_t>(codes.params.size())) return {};
  std::vector<float> scales;
  std::vector<double> zero_points;
  for (const QuantParams& params : codes.params) {
    scales.push_back(params.scale);
    zero_points.push_back(static_cast<double>(params.zero_point));
  }
  Tensor values = Tensor::Allocate(DataType::kFloat, stored.shape());
  const Status decoded = DequantizeTensor({codes.type}, *layout, {scales, zero_points}, stored.bytes().data(),
                                          values.Mutable<float>().data());
  return decoded.ok() ? values : Tensor();
}

Result<Tensor> ForEachElement(const StoredCodes& codes, const Shape& shape, const std::vector<float>& numbers) {
  PREON_ASSIGN_OR_RETURN(const ParamLayout layout, LayoutOf(codes, shape));
  if (layout.params() != static_cast<int64_t>(numbers.size()))
    return Error(ErrorId::kFormatAxis, "got ", numbers.size(), " scales, wanted ", layout.params());
  Tensor all = Tensor::Allocate(DataType::kFloat, shape);
  float* elements = all.Mutable<float>().data();
  layout.ForEachRun(elements, elements, [&](const float*, int64_t count, int64_t param, float* run) {
    std::fill_n(run, count, numbers[static_cast<size_t>(param)]);
  });
  return all;
}

std::optional<Range> RangeOfCodes(const StoredCodes& codes) {
  if (codes.params.empty() || !IsIntType(codes.type) || DataTypeBits(codes.type) > 16) return std::nullopt;
  Range all = RepresentableRange(codes.params[0], {.type = codes.type});
  for (const QuantParams& params : codes.params) {
    const Range range = RepresentableRange(params, {.type = codes.type});
    all = {std::min(all.min, range.min), std::max(all.max, range.max)};
  }
  return all;
}

}  // namespace preon
