#include "quantize/write/stock_form.h"

#include <algorithm>
#include <vector>

#include "formats/linear_codec.h"
#include "quantize/write/stock_nodes.h"

namespace preon {
namespace {

bool IsFloating(DataType type) { return MiniFloatOf(type).has_value(); }

}  // namespace

Status WriteCodesInStockForm(Graph& graph, const RoundTripNames& names, DataType type,
                             std::span<const QuantParams> params, int axis) {
  const bool whole = type == DataType::kInt32 || type == DataType::kUInt32;
  if (!whole && !IsFloating(type)) {
    return Error(ErrorId::kFormatAttribute, "type: got ", DataTypeName(type),
                 ", wanted a floating type, int32 or uint32: others have a QuantizeLinear");
  }
  if (!whole && std::ranges::any_of(params, [](const QuantParams& p) { return p.zero_point != 0; })) {
    return Error(ErrorId::kFormatAttribute, "zero point: wanted 0, the only zero point of ", DataTypeName(type));
  }
  const std::optional<Shape> shape = graph.ShapeOf(names.x);
  const int64_t rank = shape ? static_cast<int64_t>(shape->size()) : 0;
  const auto count = static_cast<int64_t>(params.size());
  const bool fits = axis < 0 ? count == 1 : axis < rank && ((*shape)[axis] == kDynamicDim || (*shape)[axis] == count);
  if (!fits) {
    return Error(ErrorId::kFormatAxis, "axis: got ", axis, " for ", count, " scales of a tensor of ",
                 shape ? "shape " + ShapeToString(*shape) : "unknown rank");
  }
  // Along the axis; one for all has no shape. Behind a MatMul it is repeated, as the runtime would take a division by a
  // constant of one element into that node, where it is a product and rounds otherwise.
  Shape broadcast(axis >= 0 ? static_cast<size_t>(rank - axis) : 0, 1);
  int64_t copies = 1;
  if (axis >= 0) {
    broadcast[0] = count;
  } else if (const Node* producer = graph.Producer(names.x);
             producer != nullptr && producer->Is("MatMul") && rank > 0 && shape->back() > 1) {
    copies = shape->back();
    broadcast = {copies};
  }
  const auto floats = [&](const auto& value_of) {
    std::vector<float> values;
    for (const QuantParams& p : params) values.insert(values.end(), static_cast<size_t>(copies), value_of(p));
    return Tensor::FromFloats(broadcast, values);
  };

  NodeWriter nodes(graph, names.base);
  const bool scaled = std::ranges::any_of(params, [](const QuantParams& p) { return p.scale != 1; });
  std::string scale, x = names.x;
  if (scaled) {
    scale = nodes.Constant("_scale", floats([](const QuantParams& p) { return p.scale; }));
    x = nodes.Add("Div", {x, scale});
  }
  const auto clip = [&](float low, float high) {
    x = nodes.Add("Clip", {x, nodes.Float("_smallest", low), nodes.Float("_largest", high)});
  };
  if (whole) {
    // Codes without their zero point are whole floats or lie beyond a bound; so bounds that are rounded to floats give
    // what the codec's give, whose difference is rounded.
    const IntFormat format{type};
    const auto low = [&](const QuantParams& p) { return static_cast<float>(format.q_min() - p.zero_point); };
    const auto high = [&](const QuantParams& p) { return static_cast<float>(format.q_max() - p.zero_point); };
    x = nodes.Add("Round", {x});
    const auto differs = [&](const QuantParams& p) { return p.zero_point != params[0].zero_point; };
    if (std::ranges::any_of(params, differs)) {
      x = nodes.Add("Max", {x, nodes.Constant("_smallest", floats(low))});
      x = nodes.Add("Min", {x, nodes.Constant("_largest", floats(high))});
    } else {
      clip(low(params[0]), high(params[0]));
    }
  } else {
    if (type == DataType::kFloat16) clip(-65504, 65504);
    x = nodes.Cast(nodes.Cast(x, type), DataType::kFloat);
  }
  if (scaled) x = nodes.Add("Mul", {x, scale});
  nodes.Finish(x, names.y);
  return Status::Ok();
}

}  // namespace preon
