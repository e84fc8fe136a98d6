// Targets npu-cnn and npu-transformer: Q/DQ where Quark's quantizers for NPUs put them (docs/design/npu.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <set>

#include "base/text.h"
#include "quantize/plan/float_fallback.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/op_list/op_list_target.h"
#include "quantize/targets/op_list/quark_rewrites.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 4> kLayers = {"Conv", "ConvTranspose", "Gemm", "MatMul"};
constexpr std::array kBytes = {DataType::kInt8, DataType::kUInt8};

Status OneOf(std::string_view target, std::string_view setting, std::string_view got, std::string_view wanted) {
  return Error(ErrorId::kConflictingOptions, "--target ", target, ": got ", setting, " ", got, ", wanted ", wanted);
}

// Nodes behind the last layer: they turn a detector's codes into boxes and scores, for which 8 bits are too few.
// Without a layer there is no tail.
void LeaveTail(const Graph& graph, FloatNodes* left_float) {
  if (std::ranges::none_of(graph.nodes(), [](const auto& node) { return Contains(kLayers, node->op_type); })) return;
  std::set<const Node*> leads;  // to a layer
  for (const auto& node : graph.nodes() | std::views::reverse) {
    bool is_tail = !Contains(kLayers, node->op_type);
    for (const std::string& output : node->outputs()) {
      for (const Use& use : graph.Uses(output))
        is_tail = is_tail && !leads.contains(use.node) && !Contains(kLayers, use.node->op_type);
    }
    if (is_tail)
      left_float->emplace(node->name, FloatReason::kTail);
    else
      leads.insert(node.get());
  }
}

// What NPUs can not do for single tensors either: a shift has no zero point, one position and all codes.
Status CheckPositions(std::string_view target, const TensorSettings& settings) {
  const auto refuse = [&](std::string_view got, std::string_view wanted) {
    return Error(ErrorId::kConflictingOptions, "--target ", target, ": settings of single layers or tensors: got ", got,
                 ", wanted ", wanted);
  };
  for (const TensorOverride* wanted : settings.All()) {
    if (wanted->symmetric == false) return refuse("symmetric false", "true: NPUs have no zero points");
    if (wanted->scale_type.value_or(ScaleType::kPowerOfTwo) != ScaleType::kPowerOfTwo)
      return refuse(StrCat("scale type ", ScaleTypeName(*wanted->scale_type)), "power-of-two");
    if (wanted->per_channel == true || wanted->axis || wanted->block_size.value_or(0) != 0)
      return refuse("scales per channel or block", "one scale per weight");
    if (wanted->reduce_range == true) return refuse("reduce_range true", "all codes: a shift has no bit in reserve");
    if (wanted->params && std::exp2(std::round(std::log2(wanted->params->scale))) != wanted->params->scale)
      return refuse(StrCat("scale ", wanted->params->scale), "a power of two");
    if (!wanted->converts.empty()) return refuse("a second pair of another type", "one type per tensor");
  }
  return Status::Ok();
}

class NpuTarget : public OpListTarget {
 public:
  bool HasOpList() const override { return true; }
  int64_t RequiredOpset(const PlanOptions& options) const override {
    return OpListOpset(options.Needs(), OperatorForm::kStock, options.op_list.pairs.contrib_domain);
  }
  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions& options) const override {
    const bool ours = by_default || pass == "fold_gemm_scalars" || IsRewriteForNpus(pass);
    return options.compat == Compat::kQuark ? QuarkRewrites(pass, ours, options.op_list.preprocessing) : ours;
  }
  bool HasStages(const PlanOptions& options) const override { return options.compat == Compat::kQuark; }
  bool LeavesNode(std::string_view pass, const Model& model, const Node& node,
                  const PlanOptions& options) const override {
    return options.compat == Compat::kQuark && QuarkLeaves(pass, model, node, options.op_list.preprocessing);
  }
};

class NpuCnnTarget final : public NpuTarget {
 public:
  std::string_view name() const override { return "npu-cnn"; }
  std::vector<std::string_view> aliases() const override { return {"xint8", "dpu"}; }
  std::string_view summary() const override {
    return "convolutional nets on AMD NPUs (XINT8): powers of two as scales, biases of 8 bits, shifts inside the "
           "hardware's limits, operators as the DPU computes them";
  }
  bool NeedsBetterCodes() const override { return true; }
  bool Takes(const PlanOptions& options) const override {
    return options.weight == DataType::kInt8 &&
           CheckTypes(name(), kBytes, options.activation, options.weight, options.settings).ok() &&
           CheckPositions(name(), options.settings).ok();
  }
  Status SettleScales(const GivenScales& given, PlanOptions* plan) const override {
    const auto is_wrong = [](ScaleType type) { return type != ScaleType::kPowerOfTwo; };
    if (given.scale_type && is_wrong(plan->scale_type))
      return OneOf(name(), "--scale-type", ScaleTypeName(plan->scale_type), "power-of-two");
    if (plan->weight_scale_type && is_wrong(*plan->weight_scale_type))
      return OneOf(name(), "--weight-scale-type", ScaleTypeName(*plan->weight_scale_type), "power-of-two");
    if (given.channels)
      return OneOf(name(), "one scale per channel,", "quant_granularity Channel", "one scale per weight");
    if (plan->block_size) return OneOf(name(), "--block-size", StrCat(*plan->block_size), "one scale per weight");
    if (plan->op_list.reduce_range)
      return OneOf(name(), "--reduce-range", "true", "all codes: a shift has no bit in reserve");
    if (plan->activation_symmetric == false)
      return OneOf(name(), "--symmetric", "false", "true: NPUs have no zero points");
    if (plan->weight_symmetric == false)
      return OneOf(name(), "WeightSymmetric", "false", "true: NPUs have no zero points");
    plan->scale_type = ScaleType::kPowerOfTwo;
    plan->weight_scale_type.reset();
    plan->per_channel = false;
    plan->activation_symmetric = true;
    return Status::Ok();
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(name(), kBytes, options.activation, options.weight, options.settings));
    if (options.weight != DataType::kInt8) return OneOf(name(), "--weight", options.weight.name(), "int8");
    PREON_RETURN_IF_ERROR(CheckPositions(name(), options.settings));
    PlanOptions with_tail = options;
    if (options.compat == Compat::kOff) LeaveTail(model.graph, &with_tail.left_float);
    PREON_ASSIGN_OR_RETURN(QuantPlan plan, PlanOpList(model, with_tail, RulesOf(options)));
    if (!options.op_list.bias.quantize)
      plan.warnings.emplace_back("QuantizeBias=false: the NPU computes no float biases: this model does not run there");
    return plan;
  }

 private:
  OpListRules RulesOf(const PlanOptions& options) const override { return NpuCnnRules(options.compat); }
};

class NpuTransformerTarget final : public NpuTarget {
 public:
  std::string_view name() const override { return "npu-transformer"; }
  std::string_view summary() const override {
    return "transformers on AMD NPUs: Gemm, and MatMul of a constant matrix; everything else stays float";
  }
  bool Takes(const PlanOptions& options) const override {
    return CheckTypes(name(), kBytes, options.activation, options.weight, options.settings).ok();
  }
  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(name(), kBytes, options.activation, options.weight, options.settings));
    return PlanOpList(model, options, RulesOf(options));
  }

 private:
  OpListRules RulesOf(const PlanOptions&) const override { return NpuTransformerRules(); }
};

}  // namespace

std::unique_ptr<Target> MakeNpuCnnTarget() { return std::make_unique<NpuCnnTarget>(); }
std::unique_ptr<Target> MakeNpuTransformerTarget() { return std::make_unique<NpuTransformerTarget>(); }

}  // namespace preon
