#include "quantize/write/constant_writer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "formats/compat/compat_weights.h"
#include "quantize/params/product_pairs.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// A bias of 16 bits has so many times fewer codes.
constexpr float kInt32PerInt16 =
    static_cast<float>(std::numeric_limits<int32_t>::max()) / std::numeric_limits<int16_t>::max();

// One for each of `count` values: channels of a grouped ConvTranspose repeat group by group.
std::vector<QuantParams> Spread(const std::vector<QuantParams>& params, size_t count) {
  if (params.size() == 1 || params.size() == count || params.empty() || count % params.size() != 0) return params;
  std::vector<QuantParams> spread;
  while (spread.size() < count) spread.insert(spread.end(), params.begin(), params.end());
  return spread;
}

// Codes whose pairs the kernels add up in 16 bits move towards 0 until they fit. True where one moved further than by
// rounding.
bool PullPairsOf(const Graph& graph, const WeightPlan& plan, EncodedTensor& encoded) {
  const Tensor whole = DecodeTensor({.codes = encoded.codes, .params = {QuantParams()}});
  std::vector<float> codes(whole.floats().begin(), whole.floats().end());
  for (const std::string& reader : plan.nodes) PullProductPairs(*graph.FindNode(reader), whole.shape(), codes);
  const Tensor pulled = Tensor::FromFloats(whole.shape(), codes);
  encoded.codes = EncodeTensor(pulled, {QuantParams()}, -1, {.type = encoded.codes.type()})->codes;
  return !std::ranges::equal(whole.floats(), codes, [](float was, float is) { return std::abs(was - is) <= 1; });
}

// What rounding takes away from each value; in the memory of `rounded`.
Tensor ErrorOf(const Tensor& values, Tensor rounded) {
  std::ranges::transform(values.floats(), rounded.floats(), rounded.Mutable<float>().begin(), std::minus());
  return rounded;
}

// The other way round: the largest scale of each.
std::vector<QuantParams> Gathered(const std::vector<QuantParams>& spread, std::vector<QuantParams> params) {
  for (size_t i = 0; i < spread.size(); ++i) {
    QuantParams& own = params[i % params.size()];
    own.scale = std::max(own.scale, spread[i].scale);
  }
  return params;
}

}  // namespace

Status ConstantWriter::Write() {
  PREON_RETURN_IF_ERROR(RoundToCodesBefore());
  std::map<std::string, std::vector<const BiasPlan*>> biases_of;
  for (const BiasPlan& bias : plan_.biases) biases_of[bias.weight].push_back(&bias);
  std::set<std::string> corrected;  // by their weights, so these come first
  for (const BiasPlan& bias : plan_.biases)
    if (bias.form == BiasForm::kAsWeight) corrected.insert(bias.bias);
  for (const bool is_bias : {false, true}) {
    for (const auto& [weight, plan] : plan_.weights) {
      if (corrected.contains(weight) != is_bias) continue;
      const size_t bytes = graph_.Initializer(weight)->bytes().size();
      PREON_RETURN_IF_ERROR(plan.block ? WriteBlockWeight(weight, plan, biases_of[weight])
                                       : WriteWeight(weight, plan, biases_of[weight]));
      HasReadMapped(bytes);
    }
  }
  for (const auto& [weight, biases] : biases_of) {
    if (plan_.weights.contains(weight)) continue;
    for (const BiasPlan* bias : biases) PREON_RETURN_IF_ERROR(WriteBias(*bias, {params_.SeenBy(bias->node, weight)}));
  }
  return Status::Ok();
}

// Quark's mixed precision makes new codes from those that there are.
Status ConstantWriter::RoundToCodesBefore() {
  for (const auto& [weight, plan] : plan_.weights) {
    if (!plan.codes_before) continue;
    WeightPlan before = plan;
    before.format = *plan.codes_before;
    before.block.reset();
    PREON_ASSIGN_OR_RETURN(const std::vector<QuantParams> params, params_.OfWeight(weight, before));
    const Tensor values = *graph_.Initializer(weight);
    PREON_ASSIGN_OR_RETURN(const EncodedTensor encoded,
                           compat::EncodeWeight(values, params, before.axis, before.format, plan_.compat));
    graph_.SetInitializer(weight, DecodeTensor(encoded));
  }
  return Status::Ok();
}

Result<std::vector<QuantParams>> ConstantWriter::ParamsOf(const std::string& weight, const WeightPlan& plan) {
  const bool settled = params_.IsSettled(weight);
  PREON_ASSIGN_OR_RETURN(std::vector<QuantParams> params, params_.OfWeight(weight, plan));
  if (settled) return params;
  const std::vector<QuantParams> wanted = params;
  for (const BiasPlan& bias : plan_.biases) {
    if (bias.weight == weight && bias.form == BiasForm::kInt32Codes)
      params = Protected(std::move(params), bias, plan.format);
  }
  if (plan_.compat == Compat::kOff) {
    for (size_t channel = 0; channel < params.size(); ++channel) {
      if (params[channel] != wanted[channel])
        params[channel].scale = RoundScaleUp(params[channel].scale, plan.scale_type);
    }
  }
  if (params != wanted) enlarged_.insert(weight);
  return params;
}

Status ConstantWriter::WriteBlockWeight(const std::string& weight, const WeightPlan& plan,
                                        const std::vector<const BiasPlan*>& biases) {
  if (std::ranges::any_of(biases, [&](const BiasPlan* bias) { return IsShifted(*bias); })) {
    const Tensor values = *graph_.Initializer(weight);
    PREON_ASSIGN_OR_RETURN(Tensor rounded, types_.RoundedToBlocks(weight, values, plan));
    const Tensor error = ErrorOf(values, std::move(rounded));
    for (const BiasPlan* bias : biases) PREON_RETURN_IF_ERROR(WriteBias(*bias, {}, &error));
  }
  return types_.WriteBlockWeight(weight, plan);
}

Status ConstantWriter::WriteWeight(const std::string& weight, const WeightPlan& plan,
                                   const std::vector<const BiasPlan*>& biases) {
  PREON_ASSIGN_OR_RETURN(const std::vector<QuantParams> params, ParamsOf(weight, plan));
  const Tensor values = TypeWriter::Representable(*graph_.Initializer(weight), plan.format.type);
  Result<EncodedTensor> encoded = Rounded({weight, plan, values, params});
  if (!encoded.ok()) return std::move(encoded).status().WithContext(weight);
  std::optional<Tensor> error;
  for (const BiasPlan* bias : biases) {
    if (!error && IsShifted(*bias)) error = ErrorOf(values, DecodeTensor(*encoded));
    PREON_RETURN_IF_ERROR(WriteBias(*bias, params, error ? &*error : nullptr));
  }
  return types_.WriteWeight(weight, plan, *encoded);
}

std::vector<QuantParams> ConstantWriter::Protected(std::vector<QuantParams> params, const BiasPlan& bias,
                                                   const IntFormat& format) const {
  if (!bias.protect.value_or(plan_.compat != Compat::kQuark)) return params;
  const float input_scale = params_.SeenBy(bias.node, bias.input).scale;
  std::vector<float> values = BiasValues(bias, params.size());
  if (plan_.int16_biases) {
    for (float& value : values) value *= kInt32PerInt16;
  }
  std::vector<QuantParams> spread = Spread(params, values.size());
  if (plan_.compat == Compat::kOff)
    return Gathered(ProtectBiasOverflow(values, input_scale, std::move(spread)), params);
  if (format.type == DataType::kInt8 || format.type == DataType::kInt16)
    compat::EnlargeForBias(values, input_scale, spread);
  return Gathered(spread, params);
}

// With a scale per channel one value per channel, whatever shape the bias has: [C], [1, C], [1] or a scalar.
std::vector<float> ConstantWriter::BiasValues(const BiasPlan& bias, size_t scales) const {
  const std::span<const float> values = graph_.Initializer(bias.bias)->floats();
  const bool repeat = values.size() == 1 && scales > 1;
  return repeat ? std::vector<float>(scales, values[0]) : std::vector<float>(values.begin(), values.end());
}

Result<EncodedTensor> ConstantWriter::Rounded(const WeightToRound& weight) {
  for (const std::unique_ptr<WriteHook>& hook : hooks_) {
    PREON_ASSIGN_OR_RETURN(std::optional<EncodedTensor> codes, hook->Round(graph_, weight));
    if (codes) return *std::move(codes);
  }
  const auto& [name, plan, values, params] = weight;
  // Codes of less than a byte saturate to all of the type's in both tools.
  const bool theirs = plan_.compat != Compat::kOff && IsIntType(plan.format.type) &&
                      DataTypeBits(plan.format.type) >= 8 && plan.block_size == 0;
  if (theirs) return compat::EncodeWeight(values, params, plan.axis, plan.format, plan_.compat);
  Result<EncodedTensor> encoded = EncodeTensor(values, params, plan.axis, plan.format, plan.block_size);
  // Scales that are given may not leave room for pairs of products; calibrated ones do.
  if (encoded.ok() && plan.fits_pairs && plan.HasGivenScales() && PullPairsOf(graph_, plan, *encoded))
    reduced_.insert(name);
  return encoded;
}

bool ConstantWriter::IsShifted(const BiasPlan& bias) const {
  return std::ranges::any_of(hooks_, [&](const std::unique_ptr<WriteHook>& hook) { return hook->ShiftsBias(bias); });
}

std::vector<float> ConstantWriter::ShiftedBias(const BiasPlan& bias, std::vector<float> values,
                                               const Tensor& error) const {
  if (!IsShifted(bias)) return values;
  const double beta = graph_.FindNode(bias.node)->Float("beta", 1);
  for (const std::unique_ptr<WriteHook>& hook : hooks_) {
    const std::vector<double> shift = hook->ShiftOfBias(graph_, bias, error);
    if (values.size() == 1) values.assign(std::max<size_t>(shift.size(), 1), values[0]);
    for (size_t channel = 0; channel < shift.size() && values.size() == shift.size() && beta != 0; ++channel)
      values[channel] = static_cast<float>(values[channel] + shift[channel] / beta);
  }
  return values;
}

Result<EncodedBias> ConstantWriter::Encoded(const BiasPlan& bias, std::vector<float> values,
                                            const std::vector<QuantParams>& weight_params) {
  const float beta = graph_.FindNode(bias.node)->Float("beta", 1);
  const float input_scale = params_.SeenBy(bias.node, bias.input).scale;
  const std::vector<QuantParams> spread = Spread(weight_params, values.size());
  if (plan_.compat == Compat::kOff) return EncodeBias(values, input_scale, spread, beta);
  // Our values have beta, unlike theirs; so has their scale, but where they make it anew after alignments.
  for (float& value : values) value *= beta;
  const float scale_beta = plan_.beta_in_codes ? 1 : beta;
  const float planned = params_.ScaleBeforeAlignment(bias.input);
  if (planned == params_.activations().at(bias.input).params.scale)
    return compat::EncodeBias(values, input_scale, spread, scale_beta);
  PREON_ASSIGN_OR_RETURN(EncodedBias encoded, compat::EncodeBias(values, planned, spread, scale_beta));
  compat::AdjustBias(input_scale, spread, encoded);
  return encoded;
}

Status ConstantWriter::WriteBias(const BiasPlan& bias, const std::vector<QuantParams>& weight_params,
                                 const Tensor* error) {
  Node* node = graph_.FindNode(bias.node);
  const std::vector<float> own = BiasValues(bias, weight_params.size());
  std::vector<float> values = own;
  if (error != nullptr) values = ShiftedBias(bias, std::move(values), *error);
  if (bias.form != BiasForm::kInt32Codes) {
    if (values == own) return Status::Ok();
    if (bias.form == BiasForm::kFloat)
      qdq_.ReplaceBias(node, values);
    else
      graph_.SetInitializer(bias.bias, Tensor::FromFloats({static_cast<int64_t>(values.size())}, values));
    return Status::Ok();
  }
  Result<EncodedBias> encoded = Encoded(bias, std::move(values), weight_params);
  if (!encoded.ok()) return std::move(encoded).status().WithContext(bias.bias);
  node->attributes.erase("beta");
  const Shape& shape = graph_.Initializer(bias.bias)->shape();
  if (encoded->scales.size() == 1 && ElementCount(shape) == encoded->codes.count())
    encoded->codes = encoded->codes.Reshaped(shape);
  qdq_.AddBias(node, *encoded);
  return Status::Ok();
}

}  // namespace preon
