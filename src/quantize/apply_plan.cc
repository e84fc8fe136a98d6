// QuantPlan × ranges → Q/DQ graph. Order: parameters of activations, Relu/Clip that codes absorb, channel scales, weights
// (their scales may grow to keep a bias inside int32), biases, Q/DQ pairs, guards of float islands, filled inputs, branches.
#include <algorithm>
#include <cmath>
#include <set>

#include "formats/compat/reference_weights.h"
#include "formats/quark_operators.h"
#include "quantize/bias_correction.h"
#include "quantize/channel_scales.h"
#include "quantize/fill_channels.h"
#include "quantize/nbits_writer.h"
#include "quantize/op_traits.h"
#include "quantize/pairs_in_branches.h"
#include "quantize/plan.h"
#include "quantize/qdq_writer.h"
#include "quantize/tensor_params.h"
#include "quantize/type_writer.h"

namespace preon {
namespace {

class PlanWriter {
 public:
  PlanWriter(Model& model, const QuantPlan& plan, PlanStatistics statistics, std::vector<std::string>* warnings)
      : graph_(model.graph), plan_(plan), statistics_(std::move(statistics)), warnings_(warnings), writer_(graph_),
        types_(graph_, writer_, plan), params_(plan.compat) {
    for (const NodeDecision& decision : plan.nodes) {
      const Node* node = graph_.FindNode(decision.node);
      if (decision.reason == FloatReason::kNotReached) all_reached_ = false;
      else reached_.insert(node);
      if (decision.reason != FloatReason::kNone) continue;
      integer_.insert(node);
      // MatMul and most Gemm also come with a float output; asked here, before clamps behind them are absorbed.
      const bool float_output = node->Is("MatMul") || (node->Is("Gemm") && !NeedsQuantizedOutput(graph_, *node));
      if (!float_output) writes_codes_.insert(node);
    }
  }

  Status Write() {
    PREON_RETURN_IF_ERROR(ComputeActivationParams());
    AbsorbClamps();
    ScaleChannels();
    PREON_RETURN_IF_ERROR(WriteConstants());
    if (const std::optional<std::string> warning = params_.Warning()) Warn(*warning);
    if (!enlarged_.empty()) {
      const std::string others = enlarged_.size() > 1 ? StrCat(" and of ", enlarged_.size() - 1, " others") : "";
      Warn(StrCat("scales of ", enlarged_.front(), others, " enlarged so that the bias fits int32"));
    }
    PREON_RETURN_IF_ERROR(WritePairs());
    GuardIslands();
    for (const std::string& name : plan_.filled_inputs) FillInputChannels(graph_, writer_, graph_.FindNode(name));
    PREON_RETURN_IF_ERROR(PlacePairsInBranches(graph_));
    graph_.RemoveUnusedInitializers();
    PREON_RETURN_IF_ERROR(graph_.SortTopologically());
    return graph_.CheckIntegrity();
  }

 private:
  struct Activation {
    IntFormat format;
    QuantParams params;
    std::string owner;   // tensor whose scale and zero-point constants it uses
    const BlockPlan* block = nullptr;   // instead of these
  };

  Status ComputeActivationParams() {
    for (const auto& [tensor, activation] : plan_.activations) {
      if (!activation.shares.empty()) continue;
      if (activation.block) {
        activations_[tensor] = {.owner = tensor, .block = &*activation.block};
        continue;
      }
      QuantParams params;
      if (activation.params) {
        params = *activation.params;
      } else {
        PREON_ASSIGN_OR_RETURN(const Range range, RangeOf(tensor, activation));
        PREON_ASSIGN_OR_RETURN(params, params_.Make(tensor, range, activation.format, activation.scale_type));
      }
      activations_[tensor] = {activation.format, params, tensor};
    }
    for (const auto& [tensor, activation] : plan_.activations) {
      if (!activation.shares.empty()) activations_[tensor] = activations_.at(activation.shares);
    }
    return Status::Ok();
  }

  Result<Range> RangeOf(const std::string& tensor, const ActivationPlan& activation) const {
    if (activation.source == RangeSource::kFixed) return activation.fixed;
    const auto range = statistics_.ranges.find(tensor);
    if (range == statistics_.ranges.end()) {
      return Error(ErrorId::kRangeMissing, tensor, ": no range; wanted one from calibration data that reach it");
    }
    return range->second;
  }

  // Relu/Clip behind an integer kernel: the codes' own limits do its work, if they lie inside its bounds (spec qdq §5.2;
  // checked on the final scale). If not, the clamp stays and its input gets the same codes: nothing outside survives it.
  void AbsorbClamps() {
    for (const std::string& name : plan_.folded_clamps) {
      Node* clamp = graph_.FindNode(name);
      const std::string input = clamp->input(0), output = clamp->output();
      const Activation& activation = activations_.at(output);
      const Range bounds = *ClampRange(graph_, *clamp);
      const Range covered = RepresentableRange(activation.params, activation.format);
      const float half_step = activation.params.scale / 2;
      const bool has_limits = activation.block == nullptr && !activation.format.floating();
      if (has_limits && covered.min >= bounds.min - half_step && covered.max <= bounds.max + half_step) {
        Node* producer = graph_.Producer(input);
        graph_.SetOutput(clamp, 0, graph_.UniqueTensorName(output + "_unused"));
        graph_.SetInput(clamp, 0, "");
        graph_.SetOutput(producer, 0, output);
        producer->origins.insert(producer->origins.end(), clamp->origins.begin(), clamp->origins.end());
        integer_.erase(clamp);
        writes_codes_.erase(clamp);
        reached_.erase(clamp);
        graph_.RemoveNode(clamp);
      } else {
        activations_[input] = activation;
      }
    }
  }

  // Behind a clamp that stayed, a scaled channel would be cut in the wrong place.
  void ScaleChannels() {
    for (const auto& [tensor, extremes] : statistics_.channel_extremes) {
      if (!graph_.Producer(tensor)->Is("Conv")) continue;
      const Activation& activation = activations_.at(tensor);
      const auto factors = ChannelFactors(extremes, RepresentableRange(activation.params, activation.format));
      DivideChannels(graph_, tensor, factors);
      const auto means = statistics_.channel_means.find(tensor);
      if (means == statistics_.channel_means.end()) continue;
      for (size_t channel = 0; channel < factors.size(); ++channel)
        means->second[channel] /= double{factors[channel]};
    }
  }

  Status WriteConstants() {
    std::map<std::string, std::vector<const BiasPlan*>> biases_of;
    for (const BiasPlan& bias : plan_.biases) biases_of[bias.weight].push_back(&bias);
    for (const auto& [weight, plan] : plan_.weights) {
      if (plan.block) {
        PREON_RETURN_IF_ERROR(types_.WriteBlockWeight(weight, plan));
        continue;
      }
      if (plan_.compat != Compat::kOff) {
        PREON_RETURN_IF_ERROR(WriteReferenceWeight(weight, plan, biases_of[weight]).WithContext(weight));
        continue;
      }
      PREON_ASSIGN_OR_RETURN(std::vector<QuantParams> params, WeightParams(weight, plan));
      const std::vector<QuantParams> wanted = params;
      for (const BiasPlan* bias : biases_of[weight]) {
        if (bias->encoded) params = ProtectBiasOverflow(BiasValues(*bias), activations_.at(bias->input).params.scale, std::move(params));
      }
      for (size_t channel = 0; channel < params.size(); ++channel) {
        if (params[channel] != wanted[channel]) params[channel].scale = RoundScaleUp(params[channel].scale, plan.scale_type);
      }
      if (params != wanted) enlarged_.push_back(weight);
      const Tensor values = TypeWriter::Representable(*graph_.Initializer(weight), plan.format.type);
      Result<EncodedTensor> encoded = EncodeTensor(values, params, plan.axis, plan.format, plan.block_size);
      if (!encoded.ok()) return std::move(encoded).status().WithContext(weight);
      for (const BiasPlan* bias : biases_of[weight]) PREON_RETURN_IF_ERROR(WriteBias(*bias, values, *encoded, params));
      PREON_RETURN_IF_ERROR(types_.WriteWeight(weight, plan, *encoded));
    }
    return Status::Ok();
  }

  // A weight and its biases by another tool's rules.
  Status WriteReferenceWeight(const std::string& weight, const WeightPlan& plan,
                              const std::vector<const BiasPlan*>& biases) {
    const Tensor values = *graph_.Initializer(weight);
    std::vector<QuantParams> params;
    if (plan.params) {
      params = {*plan.params};
    } else {
      const compat::WeightOptions options{.scale_type = plan.scale_type,
                                          .method = plan.rule.method.value_or(WeightMethod::kMinMax),
                                          .search = plan.rule.search.value_or(WeightSearch::kPercentile),
                                          .tool = plan_.compat,
                                          .range = plan.range};
      PREON_ASSIGN_OR_RETURN(params, compat::WeightParams(values, plan.axis, plan.format, options));
    }
    const auto input_scale = [&](const BiasPlan& bias) { return activations_.at(bias.input).params.scale; };
    const bool is_signed = plan.format.type == DataType::kInt8 || plan.format.type == DataType::kInt16;
    for (const BiasPlan* bias : biases) {
      if (plan_.compat == Compat::kOnnxRuntime && is_signed)
        compat::EnlargeForBias(BiasValues(*bias), input_scale(*bias), params);
    }
    PREON_ASSIGN_OR_RETURN(const EncodedTensor encoded,
                           compat::EncodeWeight(values, params, plan.axis, plan.format, plan_.compat));
    for (const BiasPlan* bias : biases) {
      Node* node = graph_.FindNode(bias->node);
      PREON_ASSIGN_OR_RETURN(
          const EncodedBias codes,
          compat::EncodeBias(BiasValues(*bias), input_scale(*bias), params, node->Float("beta", 1)));
      writer_.AddBias(node, codes);
    }
    return types_.WriteWeight(weight, plan, encoded);
  }

  Result<std::vector<QuantParams>> WeightParams(const std::string& weight, const WeightPlan& plan) {
    if (plan.params) return std::vector<QuantParams>{*plan.params};
    std::vector<Range> ranges;
    if (plan.range) {
      ranges = {*plan.range};
    } else {
      Tensor values = *graph_.Initializer(weight);
      int axis = plan.axis;
      if (plan.block_size > 0) {
        PREON_ASSIGN_OR_RETURN(values, RowsOfBlocks(values, std::exchange(axis, 0), plan.block_size));
      }
      Result<std::vector<Range>> own = CalibrateWeight(values, axis, plan.format, plan.scale_type, plan.rule);
      if (!own.ok()) return std::move(own).status().WithContext(weight);
      ranges = std::move(own).value();
    }
    std::vector<QuantParams> params;
    for (const Range& range : ranges) {
      PREON_ASSIGN_OR_RETURN(params.emplace_back(), params_.Make(weight, range, plan.format, plan.scale_type));
    }
    return params;
  }

  // One value per output channel, whatever shape the bias has: [C], [1, C], [1] or a scalar.
  std::vector<float> BiasValues(const BiasPlan& bias) const {
    const std::span<const float> values = graph_.Initializer(bias.bias)->floats();
    const Node& node = *graph_.FindNode(bias.node);
    const Shape& weight = graph_.Initializer(bias.weight)->shape();
    const int64_t channels = node.Is("ConvTranspose") ? weight[1] * node.Int("group", 1)
                                                      : weight[static_cast<size_t>(WeightAxis(graph_, node))];
    if (static_cast<int64_t>(values.size()) == channels) return {values.begin(), values.end()};
    return std::vector<float>(static_cast<size_t>(channels), values[0]);
  }

  // What the bias has to make up for, because the weight's codes are not the weight.
  std::vector<float> CorrectedBias(const BiasPlan& bias, const Node& node, const Tensor& weight,
                                   const EncodedTensor& encoded) const {
    std::vector<float> values = BiasValues(bias);
    const auto means = statistics_.channel_means.find(bias.input);
    if (means == statistics_.channel_means.end()) return values;
    const Tensor coded = DecodeTensor(encoded);
    std::vector<float> error(weight.floats().begin(), weight.floats().end());
    for (size_t i = 0; i < error.size(); ++i) error[i] -= coded.floats()[i];
    const double beta = node.Float("beta", 1);
    const auto shift = BiasShift(graph_, node, Tensor::FromFloats(weight.shape(), error), means->second);
    for (size_t channel = 0; channel < shift.size() && beta != 0; ++channel)
      values[channel] = static_cast<float>(values[channel] + shift[channel] / beta);
    return values;
  }

  Status WriteBias(const BiasPlan& bias, const Tensor& weight, const EncodedTensor& encoded_weight,
                   const std::vector<QuantParams>& weight_params) {
    Node* node = graph_.FindNode(bias.node);
    const std::vector<float> values = CorrectedBias(bias, *node, weight, encoded_weight);
    if (!bias.encoded) {
      if (values != BiasValues(bias)) writer_.ReplaceBias(node, values);
      return Status::Ok();
    }
    const float beta = node->Float("beta", 1);
    Result<EncodedBias> encoded = EncodeBias(values, activations_.at(bias.input).params.scale, weight_params, beta);
    if (!encoded.ok()) return std::move(encoded).status().WithContext(bias.bias);
    node->attributes.erase("beta");
    writer_.AddBias(node, *encoded);
    return Status::Ok();
  }

  Status WritePairs() {
    std::map<std::string, ParamNames> names;
    const std::set<const Node*> readers(integer_.begin(), integer_.end());
    for (const auto& [tensor, activation] : activations_) {
      // Behind an integer kernel every reader takes the codes (a second reader of the raw value would keep the kernel
      // float); behind a float operator only integer readers do, the others keep the exact value.
      const Node* producer = graph_.Producer(tensor);
      const bool named = producer != nullptr && (graph_.IsOutput(tensor) || graph_.HasCapturedUse(tensor));
      const std::set<const Node*>* takers = &readers;   // null: everyone
      // Nodes of a branch that the data never took read what they read in the float model.
      if (plan_.dequantize_for_all_readers) takers = all_reached_ || named ? nullptr : &reached_;
      if (producer != nullptr && writes_codes_.count(producer) > 0) takers = nullptr;
      const RoundTripNames gap = writer_.OpenBehind(tensor, named && takers == nullptr, takers);
      if (activation.block != nullptr) {
        PREON_RETURN_IF_ERROR(types_.WriteBlocks(gap, *activation.block).WithContext(tensor));
        continue;
      }
      const auto [shared, fresh] = names.try_emplace(activation.owner);
      if (fresh) {
        shared->second = writer_.AddParams(activation.owner, {activation.params}, activation.format.type);
        quantized_as_[shared->second.scale] = tensor;
      }
      PREON_RETURN_IF_ERROR(types_.WriteCodes(gap, {activation.format.type, {activation.params}, -1, &shared->second}).WithContext(tensor));
    }
    return Status::Ok();
  }

  void GuardIslands() {
    for (const std::string& name : plan_.float_islands) {
      Node* node = graph_.FindNode(name);
      const Node* dequantize = graph_.Producer(node->input(0));
      if (dequantize == nullptr || !dequantize->Is("DequantizeLinear")) continue;
      const Node* quantize = graph_.Producer(dequantize->input(0));
      const std::optional<Shape> shape = graph_.ShapeOf(graph_.Initializer(node->input(1)) != nullptr ? node->input(1) : "");
      if (quantize == nullptr || !shape || shape->size() < 2) continue;
      const int64_t channels = node->Is("Gemm") ? (*shape)[node->Int("transB", 0) != 0 ? 1 : 0]
                                                : (*shape)[1] * node->Int("group", 1);
      const Activation& activation = activations_.at(quantized_as_[dequantize->input(1)]);
      writer_.AddIslandDq(node, channels, activation.params, activation.format.type);
    }
  }

  void Warn(std::string warning) {
    if (warnings_ != nullptr) warnings_->push_back(std::move(warning));
  }

  Graph& graph_;
  const QuantPlan& plan_;
  PlanStatistics statistics_;  // means change with the channels
  std::vector<std::string>* warnings_;
  QdqWriter writer_;
  TypeWriter types_;
  TensorParams params_;
  std::vector<std::string> enlarged_;    // weights
  std::set<const Node*> integer_;
  std::set<const Node*> reached_;        // by the calibration data
  bool all_reached_ = true;
  std::set<const Node*> writes_codes_;   // integer kernels that exist only with codes at the output
  std::map<std::string, Activation> activations_;
  std::map<std::string, std::string> quantized_as_;   // scale constant -> a tensor that has it
};

}  // namespace

Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const PlanStatistics& statistics,
                        std::vector<std::string>* warnings, int threads) {
  Model quantized = model;
  PREON_RETURN_IF_ERROR(PlanWriter(quantized, plan, statistics, warnings).Write());
  PREON_RETURN_IF_ERROR(WriteNBits(quantized, plan.nbits, threads));
  const auto in_library = [](const auto& node) { return node->domain == kQuarkDomain; };
  if (std::ranges::any_of(quantized.graph.nodes(), in_library)) quantized.opsets.emplace(kQuarkDomain, 1);
  if (plan.compat != Compat::kOff) quantized.metadata.emplace_back("preon.compat", CompatName(plan.compat));
  return quantized;
}

}  // namespace preon
