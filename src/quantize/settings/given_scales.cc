#include "quantize/settings/given_scales.h"

#include <utility>

#include "quantize/plan/check_plan.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

bool IsSigned(DataType type) { return DataTypeName(type).starts_with("int"); }

int BitsOf(const IntFormat& format) { return format.bits > 0 ? format.bits : DataTypeBits(format.type); }

// The same values with the codes of `format`: those of a signed type lie lower by half of all codes.
std::vector<QuantParams> Recoded(std::vector<QuantParams> params, const TensorType& type, const IntFormat& format) {
  const int64_t half = int64_t{1} << (BitsOf(format) - 1);
  const int64_t shift = half * (IsSigned(type.type()) - IsSigned(format.type));
  for (QuantParams& each : params) each.zero_point += shift;
  return params;
}

Status CheckBits(const TensorOverride& given, const IntFormat& format) {
  if (given.type->bits() == BitsOf(format)) return Status::Ok();
  return Error(ErrorId::kBadConfig, "got ", given.type->bits(), " bits, but the tensor is quantized to ",
               BitsOf(format));
}

class Putter {
 public:
  Putter(const Graph& graph, QuantPlan& plan) : graph_(graph), plan_(plan) {
    for (const BiasPlan& bias : plan.biases) biases_.insert(bias.bias);
  }

  Status Put(const std::string& tensor, const TensorOverride& given) {
    if (const auto weight = plan_.weights.find(tensor); weight != plan_.weights.end())
      return PutWeight(given, *graph_.Initializer(tensor), weight->second);
    if (const auto activation = plan_.activations.find(tensor); activation != plan_.activations.end())
      return PutActivation(given, activation->second);
    if (!biases_.contains(tensor)) without_quantizer_.push_back(tensor);
    return Status::Ok();
  }

  Status Finish() {
    if (put_ == 0)
      return Error(ErrorId::kConflictingOptions,
                   "--encodings: no tensor of the file has a fixed scale in this result; wanted names of this model's "
                   "tensors, and a --target with fixed scales, such as ort-cpu");
    if (without_quantizer_.empty()) return Status::Ok();
    plan_.warnings.push_back(StrCat("--encodings: ", without_quantizer_.size(),
                                    " of the file's tensors have no quantizer in this result, for example '",
                                    without_quantizer_.front(), "'; they are not read"));
    return Status::Ok();
  }

 private:
  Status PutActivation(const TensorOverride& given, ActivationPlan& activation) {
    if (activation.block) return Error(ErrorId::kBadConfig, "got a scale, but the tensor has blocks with exponents");
    if (!given.params)
      return Error(ErrorId::kBadConfig, "got ", given.channels, " scales for an activation, wanted one");
    const auto owner = plan_.activations.find(activation.shares);
    if (!activation.shares.empty() && owner == plan_.activations.end()) return Status::Ok();  // a weight's
    ActivationPlan& first = activation.shares.empty() ? activation : owner->second;
    PREON_RETURN_IF_ERROR(CheckBits(given, first.format));
    PREON_RETURN_IF_ERROR(CheckScale(*given.params, first.scale_type));
    const QuantParams params = Recoded({*given.params}, *given.type, first.format)[0];
    ++put_;
    if (activation.shares.empty() || !first.params) first.params = params;
    return Status::Ok();
  }

  Status PutWeight(const TensorOverride& given, const Tensor& values, WeightPlan& weight) {
    if (weight.block) return Error(ErrorId::kBadConfig, "got a scale, but the weight has blocks with exponents");
    PREON_RETURN_IF_ERROR(CheckBits(given, weight.format));
    const bool per_tensor = given.params.has_value();
    if (!per_tensor) PREON_RETURN_IF_ERROR(CheckChannels(given, values.shape(), weight));
    std::vector<QuantParams> params = per_tensor ? std::vector{*given.params} : given.channel_params;
    for (const QuantParams& each : params) PREON_RETURN_IF_ERROR(CheckScale(each, weight.scale_type));
    params = Recoded(std::move(params), *given.type, weight.format);
    ++put_;
    if (per_tensor) {
      weight.params = params[0];
      weight.axis = -1;
      weight.block_size = 0;
    } else {
      weight.channel_params = std::move(params);
    }
    // All codes of the type: -128 as well, which the range of a calibrated weight leaves out.
    weight.format.symmetric = weight.format.reduce_range = false;
    return Status::Ok();
  }

  static Status CheckChannels(const TensorOverride& given, const Shape& shape, const WeightPlan& weight) {
    const auto rank = static_cast<int>(shape.size());
    int axis = given.axis.value_or(weight.axis);
    if (axis < 0 && given.axis) axis += rank;
    if (axis != weight.axis || axis < 0 || axis >= rank)
      return Error(ErrorId::kBadConfig, "axis: got ", axis, ", but the weight's scales run along ",
                   weight.axis < 0 ? std::string("no axis: it has one scale") : StrCat("axis ", weight.axis));
    if (given.block_size.value_or(0) != weight.block_size)
      return Error(ErrorId::kBadConfig, "block_size: got ", given.block_size.value_or(0), ", but --block-size is ",
                   weight.block_size);
    int64_t count = shape[static_cast<size_t>(axis)];
    if (weight.block_size > 0 && count > 0)
      count = ElementCount(shape) / count * ((count + weight.block_size - 1) / weight.block_size);
    if (given.channels == count) return Status::Ok();
    return Error(ErrorId::kBadConfig, "got ", given.channels, " scales for shape ", ShapeToString(shape), ", wanted ",
                 count, " along axis ", axis);
  }

  const Graph& graph_;
  QuantPlan& plan_;
  std::set<std::string> biases_;
  std::vector<std::string> without_quantizer_;
  int64_t put_ = 0;
};

}  // namespace

PlanOptions WithGivenTypes(const Graph& graph, PlanOptions options) {
  for (const auto& [tensor, given] : options.given_scales) {
    if (!given.channel_params.empty()) {
      TensorOverride& wanted = options.settings.overrides[tensor];
      wanted = Merged(wanted, {.per_channel = true, .block_size = given.block_size});
    }
    const TensorType& planned = graph.Initializer(tensor) != nullptr ? options.weight : options.activation;
    if (!IsIntType(planned.type()) || given.type->bits() == planned.bits()) continue;
    const std::string name = StrCat(IsSigned(planned.type()) ? "int" : "uint", given.type->bits());
    if (const Result<TensorType> type = ParseWeightType(name); type.ok()) {
      TensorOverride& wanted = options.settings.overrides[tensor];
      wanted = Merged(wanted, {.type = *type});
    }
  }
  return options;
}

Status PutGivenScales(const Graph& graph, const std::map<std::string, TensorOverride>& given, QuantPlan* plan) {
  if (given.empty()) return Status::Ok();
  Putter putter(graph, *plan);
  // Owners of scales first: what shares one comes after.
  for (const bool shares : {false, true}) {
    for (const auto& [tensor, wanted] : given) {
      const auto activation = plan->activations.find(tensor);
      if (shares == (activation != plan->activations.end() && !activation->second.shares.empty()))
        PREON_RETURN_IF_ERROR(putter.Put(tensor, wanted).WithContext("--encodings: ", tensor));
    }
  }
  return putter.Finish();
}

}  // namespace preon
