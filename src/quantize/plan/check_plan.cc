#include "quantize/plan/check_plan.h"

#include "formats/combination.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {
namespace {

// What an override gives.
template <typename Planned>
Status CheckParams(const Planned& planned, bool has_range) {
  if (planned.block && (planned.params || has_range)) {
    return Error(ErrorId::kBadConfig, "got a range or a scale, but blocks have exponents of their own");
  }
  if (!planned.params) return Status::Ok();
  if (planned.format.floating() && planned.params->zero_point != 0) {
    return Error(ErrorId::kBadConfig, "zero_point: got ", planned.params->zero_point,
                 ", wanted 0, the only zero point of ", DataTypeName(planned.format.type));
  }
  PREON_RETURN_IF_ERROR(CheckScale(*planned.params, planned.scale_type));
  return CheckZeroPoint(*planned.params, planned.format.type);
}

template <typename Planned>
Status CheckFormat(const Planned& planned, Granularity granularity) {
  const TensorType type = planned.block ? TensorType(planned.block->spec) : TensorType(planned.format.type);
  const ScaleType scales = planned.block || planned.params ? ScaleType::kFloat32 : planned.scale_type;
  return CheckCombination(type, scales, granularity, planned.block || planned.format.symmetric);
}

// The pair of the tensor, or of the Relu or Clip that alone reads it: the runtime draws these into the kernel.
const ActivationPlan* WrittenAs(const Graph& graph, const QuantPlan& plan, const std::string& tensor) {
  const auto own = plan.activations.find(tensor);
  if (own != plan.activations.end() && own->second.pair) return &own->second;
  const std::vector<Use> uses = graph.Uses(tensor);
  if (uses.size() != 1 || !(uses[0].node->Is("Relu") || uses[0].node->Is("Clip"))) return nullptr;
  const auto behind = plan.activations.find(uses[0].node->output());
  return behind == plan.activations.end() || !behind->second.pair ? nullptr : &behind->second;
}

}  // namespace

Status CheckConvolutions(const Graph& graph, const QuantPlan& plan) {
  for (const auto& node : graph.nodes()) {
    if (!node->Is("Conv") || graph.Initializer(node->input(1)) == nullptr) continue;
    const auto data = plan.activations.find(node->input(0));
    if (data == plan.activations.end() || !data->second.pair || data->second.block || !data->second.converts.empty())
      continue;
    const DataType type = data->second.format.type;
    const ActivationPlan* written = WrittenAs(graph, plan, node->output());
    if (DataTypeBits(type) != 4 || written == nullptr || written->block || written->format.type != type) continue;
    const auto weight = plan.weights.find(node->input(1));
    const bool folded = weight == plan.weights.end() || weight->second.form == WeightForm::kFolded;
    if (!folded && (weight->second.block || DataTypeBits(weight->second.format.type) != 8)) continue;
    return Error(ErrorId::kConflictingOptions, "node '", node->name, "': Conv from and to ", DataTypeName(type),
                 " with weights in ", folded ? "float" : DataTypeName(weight->second.format.type),
                 ": ONNX Runtime fails to load this combination; wanted weights with codes of 4 or 16 bits, or other "
                 "activations")
        .WithHint("--target simulate supports every pair of types; it computes in float");
  }
  return Status::Ok();
}

Status CheckScale(const QuantParams& params, ScaleType type) {
  if (IsScaleOf(params.scale, type)) return Status::Ok();
  return Error(ErrorId::kBadConfig, "scale: got ", params.scale, ", wanted one of scale type ", ScaleTypeName(type),
               " such as ", RoundScale(params.scale, type), ", or another scale_type for this tensor");
}

Status CheckZeroPoint(const QuantParams& params, DataType type) {
  const IntFormat all_codes{type};
  if (params.zero_point >= all_codes.q_min() && params.zero_point <= all_codes.q_max()) return Status::Ok();
  return Error(ErrorId::kBadConfig, "zero_point: got ", params.zero_point, ", wanted an integer from ",
               all_codes.q_min(), " to ", all_codes.q_max(), " (", DataTypeName(type), ")");
}

Status CheckPlan(const QuantPlan& plan) {
  for (const auto& [tensor, activation] : plan.activations) {
    PREON_RETURN_IF_ERROR(CheckParams(activation, activation.source == RangeSource::kFixed || activation.bounds)
                              .WithContext("overrides: ", tensor));
    PREON_RETURN_IF_ERROR(CheckFormat(activation, Granularity::kPerTensor).WithContext(tensor));
  }
  for (const auto* weights : {&plan.weights, &plan.dynamic.weights}) {
    for (const auto& [tensor, weight] : *weights) {
      PREON_RETURN_IF_ERROR(CheckParams(weight, static_cast<bool>(weight.range)).WithContext("overrides: ", tensor));
      const Granularity granularity = weight.block_size > 0 ? Granularity::kPerBlock
                                      : weight.axis >= 0    ? Granularity::kPerAxis
                                                            : Granularity::kPerTensor;
      PREON_RETURN_IF_ERROR(CheckFormat(weight, granularity).WithContext(tensor));
    }
  }
  return Status::Ok();
}

}  // namespace preon
