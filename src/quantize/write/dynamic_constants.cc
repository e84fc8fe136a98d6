#include "quantize/write/dynamic_constants.h"

#include "formats/compat/compat_weights.h"
#include "formats/weight_calibration.h"
#include "quantize/params/product_pairs.h"
#include "quantize/params/tensor_params.h"

namespace preon {
namespace {

// `values` of the constant as rows that share a scale.
Result<EncodedTensor> EncodeAlone(const Graph& graph, const std::string& name, const Tensor& values, int axis,
                                  const WeightPlan& plan, Compat compat) {
  std::vector<QuantParams> params;
  std::optional<Range> range;
  if (plan.range) {
    PREON_ASSIGN_OR_RETURN(range, plan.range.OverExtremes(values));
  }
  if (plan.params) {
    params = {*plan.params};
  } else if (compat != Compat::kOff) {
    const compat::WeightOptions options{.scale_type = plan.scale_type,
                                        .method = plan.rule.method.value_or(WeightMethod::kMinMax),
                                        .tool = compat,
                                        .range = range};
    PREON_ASSIGN_OR_RETURN(params, compat::WeightParams(values, axis, plan.format, options));
  } else {
    std::vector<Range> ranges;
    if (range) {
      ranges = {*range};
    } else {
      PREON_ASSIGN_OR_RETURN(ranges, CalibrateWeight(values, axis, plan.format, plan.scale_type, plan.rule));
    }
    TensorParams make(compat);
    for (const Range& channel_range : ranges) {
      PREON_ASSIGN_OR_RETURN(params.emplace_back(), make.Make(name, channel_range, plan.format, plan.scale_type));
    }
    if (plan.fits_pairs) FitProductPairs(graph, plan, *graph.Initializer(name), params);
  }
  return compat == Compat::kOff ? EncodeTensor(values, std::move(params), axis, plan.format)
                                : compat::EncodeWeight(values, std::move(params), axis, plan.format, compat);
}

// [directions, rows, columns] → [directions, columns, rows]
Tensor WithLastAxesSwapped(const Tensor& codes) {
  const Shape& shape = codes.shape();
  const auto directions = static_cast<size_t>(shape[0]), rows = static_cast<size_t>(shape[1]),
             columns = static_cast<size_t>(shape[2]);
  Tensor result = Tensor::Allocate(codes.type(), {shape[0], shape[2], shape[1]});
  const std::span<const uint8_t> from = codes.As<uint8_t>();
  const std::span<uint8_t> to = result.Mutable<uint8_t>();
  for (size_t direction = 0; direction < directions; ++direction) {
    const size_t base = direction * rows * columns;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column)
        to[base + column * rows + row] = from[base + row * columns + column];
    }
  }
  return result;
}

// Scale and zero point as an operator reads them: what they go over has the axes of the tensor that it multiplies.
Shape ScaleShape(const Node& node, const Tensor& values, const EncodedTensor& encoded) {
  const auto count = static_cast<int64_t>(encoded.params.size());
  if (node.Is("LSTM")) {
    const int64_t directions = values.shape()[0];
    return count == directions ? Shape{directions} : Shape{directions, count / directions};
  }
  if (count == 1) return {};
  if (node.Is("Gather")) return {count, 1};
  if (!node.Is("Conv")) return {count};
  Shape shape(values.shape().size() - 1, 1);
  shape[0] = count;
  return shape;
}

}  // namespace

Result<CodeNames> DynamicConstants::Encode(const Node& node, size_t index) {
  const std::string constant = node.input(index);
  if (const auto found = known_.find(constant); found != known_.end()) return found->second;
  const WeightPlan& plan = plan_.dynamic.weights.at(constant);
  const Tensor values = *graph_.Initializer(constant);
  Tensor seen = values;
  int axis = plan.axis;
  const bool lstm = node.Is("LSTM");
  if (lstm && axis >= 0) {
    // Gates of all directions one after the other, or a direction a row.
    const int64_t rows = axis == 0 ? values.shape()[0] : values.shape()[0] * values.shape()[1];
    seen = values.Reshaped({rows, values.count() / rows});
    axis = 0;
  }
  Result<EncodedTensor> encoded = EncodeAlone(graph_, constant, seen, axis, plan, plan_.compat);
  if (!encoded.ok()) return std::move(encoded).status().WithContext(constant);
  if (lstm && encoded->params.size() == 1)
    encoded->params.resize(static_cast<size_t>(values.shape()[0]), encoded->params[0]);

  const std::string codes = graph_.UniqueTensorName(constant + "_quantized");
  graph_.SetInitializer(codes, lstm ? WithLastAxesSwapped(encoded->codes.Reshaped(values.shape())) : encoded->codes);
  const ParamNames params =
      writer_.AddParams(constant, encoded->params, plan.format.type, ScaleShape(node, values, *encoded));
  // Symmetric, so all zero points are one; the operator takes one.
  if (node.Is("Conv"))
    graph_.SetInitializer(params.zero_point, graph_.Initializer(params.zero_point)
                                                 ->Reshaped({static_cast<int64_t>(encoded->params.size())})
                                                 .Slice(0, 1)
                                                 .Reshaped({}));
  return known_.emplace(constant, CodeNames{codes, params.scale, params.zero_point}).first->second;
}

}  // namespace preon
