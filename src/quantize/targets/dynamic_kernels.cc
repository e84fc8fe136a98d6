#include "quantize/targets/dynamic_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "formats/quark_operators.h"
#include "quantize/plan/macs.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

// Below these integers gain no time (measured: docs/design/dynamic.md): a MatMul's pass over its input for the range
// and one more dispatch; an LSTM's codes of each step; a table's rows that are decoded.
constexpr double kMinMacs = 30e3;
constexpr int64_t kMinRecurrentWeights = 100'000, kMinTable = 16'384;
// A scale per row would take a good part of what shorter rows save.
constexpr int64_t kMinRow = 16;
constexpr double kUnknownSteps = 64;

}  // namespace

KernelVerdict DynamicKernels::Judge(const Node& node) const {
  if (node.Is("MatMul")) return JudgeConstant(node, 1, 2);
  if (node.Is("Gather")) return JudgeConstant(node, 0, 1);
  if (node.Is("Conv")) return JudgeConv(node);
  if (node.Is("LSTM")) return JudgeLstm(node);
  if (node.domain == kContribDomain && node.op_type == "Attention") return JudgeAttention(node);
  if (node.domain == kContribDomain && node.op_type == "EmbedLayerNormalization") return JudgeEmbedding(node);
  return {FloatReason::kNoKernel, "this target has no integer operator for it"};
}

KernelVerdict DynamicKernels::JudgeConstant(const Node& node, size_t input, size_t min_rank) const {
  const Tensor* constant = graph_.Initializer(node.input(input));
  if (constant == nullptr) return {FloatReason::kNotConstant, "the weight is computed, not constant"};
  if (constant->type() != DataType::kFloat) return {FloatReason::kType, "the weight is not float32"};
  if (constant->shape().size() < min_rank) return {FloatReason::kAttributes, "the weight has too few dimensions"};
  if (constant->count() == 0) return {FloatReason::kAttributes, "the weight is empty"};
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(constant->floats(), finite)) return {FloatReason::kType, "the weight holds NaN or infinity"};
  return {};
}

KernelVerdict DynamicKernels::JudgeConv(const Node& node) const {
  const std::string& bias = node.input(2);
  if (!bias.empty() && graph_.Initializer(bias) == nullptr)
    return {FloatReason::kNotConstant, "the bias is computed, not constant"};
  return JudgeConstant(node, 1, 3);
}

KernelVerdict DynamicKernels::JudgeLstm(const Node& node) const {
  if (node.Int("layout", 0) != 0) return {FloatReason::kAttributes, "the integer operator does not support layout=1"};
  const KernelVerdict input = JudgeConstant(node, 1, 3);
  return input.reason == FloatReason::kNone ? JudgeConstant(node, 2, 3) : input;
}

KernelVerdict DynamicKernels::JudgeAttention(const Node& node) const {
  constexpr std::array kKept = {"num_heads", "unidirectional", "mask_filter_value", "do_rotary",
                                "past_present_share_buffer"};
  for (const auto& [name, value] : node.attributes) {
    if (!Contains(kKept, name)) return {FloatReason::kAttributes, "has an attribute that QAttention lacks"};
  }
  if (!node.input(5).empty() || !node.input(6).empty())
    return {FloatReason::kAttributes, "has an input that QAttention lacks"};
  if (node.input(2).empty()) return {FloatReason::kAttributes, "has no bias, which QAttention needs"};
  return JudgeConstant(node, 1, 2);
}

KernelVerdict DynamicKernels::JudgeEmbedding(const Node& node) const {
  const auto& outputs = node.outputs();
  if (outputs.size() > 2 && !outputs[2].empty())
    return {FloatReason::kAttributes, "has an output that QEmbedLayerNormalization lacks"};
  for (const size_t index : {2, 3, 4, 5, 6}) {
    const KernelVerdict verdict = JudgeConstant(node, index, 1);
    if (verdict.reason != FloatReason::kNone) return verdict;
  }
  return {};
}

bool DynamicKernels::IsSmall(const Node& node) const {
  if (node.Is("Gather")) return graph_.Initializer(node.input(0))->count() < kMinTable;
  if (node.Is("LSTM")) return RecurrentWeights(node) < kMinRecurrentWeights;
  if (!node.Is("MatMul")) return false;
  const double macs = NodeMacs(graph_, node);
  const auto weights =
      static_cast<double>(graph_.Initializer(node.input(1))->count());  // one row, where shapes are unknown
  return (macs > 0 ? macs : weights) < kMinMacs;
}

int64_t DynamicKernels::RecurrentWeights(const Node& node) const {
  int64_t count = 0;
  for (const size_t index : {1, 2}) {
    if (const Tensor* weight = graph_.Initializer(node.input(index))) count += weight->count();
  }
  return count;
}

double DynamicKernels::Macs(const Node& node) const {
  if (!node.Is("LSTM")) return NodeMacs(graph_, node);
  const std::optional<Shape> data = graph_.ShapeOf(node.input(0));
  const double steps = data && !data->empty() && (*data)[0] >= 0 ? static_cast<double>((*data)[0]) : kUnknownSteps;
  return steps * static_cast<double>(RecurrentWeights(node));
}

void DynamicKernels::Add(const Node& node, DynamicPlan& plan) const {
  plan.nodes.push_back(node.name);
  const DataType type = weights_.type;
  const IntFormat weight{type, type == DataType::kInt8, weights_.reduce_range};
  const bool per_channel = weights_.per_channel;
  if (node.Is("MatMul")) {
    const bool matrix = graph_.Initializer(node.input(1))->shape().size() == 2;
    AddConstant(node, 1, weight, per_channel && matrix ? 1 : -1, plan);
  } else if (node.Is("Conv")) {
    // The operator takes one zero point.
    AddConstant(node, 1, weight, per_channel && weight.symmetric && !as_others_ ? 0 : -1, plan);
  } else if (node.Is("LSTM")) {
    // The operator wants the zero point in the middle.
    const IntFormat gates{as_others_ ? DataType::kInt8 : type, true, weight.reduce_range};
    for (const size_t index : {1, 2}) AddConstant(node, index, gates, per_channel ? 1 : 0, plan);
  } else if (node.Is("Gather")) {
    const Shape& table = graph_.Initializer(node.input(0))->shape();
    const int64_t axis = node.Int("axis", 0);
    const bool rows =
        per_channel && !as_others_ && table.size() == 2 && (axis == 0 || axis == -2) && table[1] >= kMinRow;
    AddConstant(node, 0, rows ? IntFormat{DataType::kInt8, true} : IntFormat{DataType::kUInt8}, rows ? 0 : -1, plan);
  } else if (node.op_type == "Attention") {
    AddConstant(node, 1, weight, per_channel ? 1 : -1, plan);
  } else {
    for (const size_t index : {2, 3, 4, 5, 6}) AddConstant(node, index, {DataType::kUInt8}, -1, plan);
  }
}

void DynamicKernels::AddConstant(const Node& node, size_t index, IntFormat format, int axis, DynamicPlan& plan) const {
  const auto [entry, fresh] = plan.weights.try_emplace(node.input(index));
  WeightPlan& weight = entry->second;
  if (fresh) {
    weight.format = format;
    weight.scale_type = weights_.scale_type;
    weight.rule = weights_.rule;
    weight.axis = axis;
    weight.fits_pairs = weights_.fits_pairs && format.type == DataType::kInt8 && !node.Is("Gather");
    const auto own = overrides_.find(node.input(index));
    if (own != overrides_.end()) ApplyOverride(own->second, {.channel = axis}, weight);
  }
  weight.nodes.push_back(node.name);
}

}  // namespace preon
