// Target matmul-nbits: weights alone, as n-bit codes in blocks of com.microsoft::MatMulNBits. Activations stay
// float, so nothing has to be calibrated.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/file.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/macs.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/settings/node_selection.h"
#include "quantize/targets/faster_forms.h"
#include "quantize/targets/op_list/quark_rewrites.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

// What this target is about: other nodes have nothing that could be quantized.
bool HoldsMatrix(const Graph& graph, const Node& node) {
  return NodeMacs(graph, node) > 0 || std::ranges::any_of(node.inputs(), [&](const std::string& input) {
           const Tensor* constant = graph.Initializer(input);
           return constant != nullptr && constant->type() == DataType::kFloat && constant->shape().size() >= 2;
         });
}

// Why the node keeps its weight, if it does.
NodeDecision Decide(const Graph& graph, const Node& node, const Selection& selection, Compat compat) {
  NodeDecision decision{node.name, node.op_type, FloatReason::kNone, "", NodeMacs(graph, node)};
  const auto keep = [&](FloatReason reason, std::string detail) {
    decision.reason = reason;
    decision.detail = std::move(detail);
    return decision;
  };
  // A Gemm's bias goes along; other tools leave Gemm alone.
  const bool gemm =
      node.Is("Gemm") && node.Int("transA", 0) == 0 && node.Float("alpha", 1) == 1 && node.Float("beta", 1) == 1;
  if (!node.Is("MatMul") && !gemm) return keep(FloatReason::kNoKernel, "only MatMul and Gemm have weights in blocks");
  if (gemm && compat == Compat::kQuark)
    return keep(FloatReason::kNoKernel, "only MatMul has weights in blocks with --compat quark");
  if (selection.Excludes(node)) return keep(FloatReason::kExcluded, "excluded by the user");
  const Tensor* weight = graph.Initializer(node.input(1));
  if (weight == nullptr) return keep(FloatReason::kNotConstant, "the weight is computed");
  if (weight->type() != DataType::kFloat) return keep(FloatReason::kType, "the weight is not float32");
  if (weight->shape().size() != 2)
    return keep(FloatReason::kAttributes, StrCat("the weight has rank ", weight->shape().size()));
  if (weight->count() == 0) return keep(FloatReason::kType, "the weight is empty");
  const bool finite = std::ranges::all_of(weight->floats(), [](float value) { return std::isfinite(value); });
  HasReadMapped(weight->bytes().size());
  if (!finite) return keep(FloatReason::kType, "the weight holds NaN or infinity");
  if (gemm && !node.input(2).empty()) {
    const Tensor* bias = graph.Initializer(node.input(2));
    const int64_t columns = weight->shape()[node.Int("transB", 0) != 0 ? 0 : 1];
    if (bias == nullptr || bias->shape() != Shape{columns})
      return keep(FloatReason::kAttributes, "C is not one constant per output");
  }
  return decision;
}

constexpr std::array kSymmetric = {DataType::kInt4, DataType::kInt8};
constexpr std::array kNBitsTypes = {DataType::kInt4, DataType::kInt8, DataType::kUInt4, DataType::kUInt8};
constexpr int kNoOperatorForBits = 3;

class MatMulNBitsTarget final : public Target {
 public:
  std::string_view name() const override { return "matmul-nbits"; }
  std::string_view summary() const override {
    return "weights only: MatMul and Gemm with n-bit weights in blocks (com.microsoft::MatMulNBits), activations "
           "float";
  }
  int64_t RequiredOpset(const PlanOptions&) const override { return 1; }
  bool Takes(const PlanOptions& options) const override {
    return std::ranges::find(kNBitsTypes, options.weight.type()) != kNBitsTypes.end() &&
           options.weight.bits() != kNoOperatorForBits;
  }
  bool NeedsStatistics(const PlanOptions&) const override { return false; }
  bool TakesImprovements(const PlanOptions&) const override { return false; }
  bool QuantizesActivations() const override { return false; }
  DataType DefaultWeight(const WeightRule& rule) const override {
    return rule.method == WeightMethod::kHqq ? DataType::kUInt4 : DataType::kInt4;
  }

  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions& options) const override {
    // Quark makes a MatMul and the Add behind it a Gemm first, which then keeps its weight.
    if (options.compat == Compat::kQuark) return QuarkRewrites(pass, by_default, options.op_list.preprocessing);
    return by_default || IsFasterForm(pass);
  }
  bool HasStages(const PlanOptions& options) const override { return options.compat == Compat::kQuark; }
  bool LeavesNode(std::string_view pass, const Model& model, const Node& node,
                  const PlanOptions& options) const override {
    return options.compat == Compat::kQuark && QuarkLeaves(pass, model, node, options.op_list.preprocessing);
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    if (!Takes(options)) {
      return Error(ErrorId::kNotYetSupported, "--weight ", options.weight.name(), ": target ", name(),
                   " supports only int2, uint2, int4, uint4, int8, uint8");
    }
    if (options.block_size && !IsNBitsBlockSize(*options.block_size)) {
      return Error(ErrorId::kBadOptionValue, "--block-size: got ", *options.block_size,
                   ", wanted 16, 32, 64, 128 or 256");
    }
    QuantPlan plan;
    plan.target = name();
    plan.nbits.options = {.bits = options.weight.bits(),
                          .block_size = options.block_size.value_or(NBitsOptions{}.block_size),
                          .symmetric = std::ranges::find(kSymmetric, options.weight.type()) != kSymmetric.end(),
                          .method = options.weight_rule.method.value_or(WeightMethod::kMinMse),
                          .hqq_as_quark = options.compat == Compat::kQuark};
    if (plan.nbits.options.method == WeightMethod::kHqq && plan.nbits.options.symmetric) {
      return Error(ErrorId::kConflictingOptions, "--weight-method hqq: it has zero points, got --weight ",
                   options.weight.name(), "; wanted --weight u", options.weight.name());
    }
    plan.nbits.accuracy_level = options.blocks.accuracy_level;
    plan.nbits.shrinks_blocks = options.compat != Compat::kQuark;
    const Selection selection(options.exclude, options.op_list.selection.nodes);
    plan.warnings = selection.WithoutEffect(model.graph);
    if (plan.nbits.options.method == WeightMethod::kHqq && plan.nbits.options.bits == 8) {
      // In blocks of real models its zero points are less than half a code from those of the extremes.
      plan.nbits.options.method = WeightMethod::kMinMax;
      plan.warnings.emplace_back(
          "--weight-method hqq: has no effect with 8 bits: ONNX Runtime's zero points are integers there; blocks are "
          "quantized as with minmax");
    }
    for (const auto& node : model.graph.nodes()) {
      if (!HoldsMatrix(model.graph, *node)) continue;
      plan.nodes.push_back(Decide(model.graph, *node, selection, options.compat));
      if (plan.nodes.back().reason == FloatReason::kNone) plan.nbits.nodes.push_back(node->name);
    }
    return plan;
  }
};

}  // namespace

std::unique_ptr<Target> MakeMatMulNBitsTarget() { return std::make_unique<MatMulNBitsTarget>(); }

}  // namespace preon
