// Target dynamic: weights as codes, activations quantized in each run by the scale of what is there, so that no data
// are needed. What a product of matrices costs, it gains as with fixed scales; convolutions do not
// (docs/design/dynamic.md).

#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/dynamic/dynamic_planner.h"
#include "quantize/targets/faster_forms.h"
#include "quantize/targets/runtime_rewrites.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

class DynamicTarget final : public Target {
 public:
  std::string_view name() const override { return "dynamic"; }
  std::string_view summary() const override {
    return "ONNX Runtime on CPU, without calibration: scales of activations are computed in each run (MatMul, Gemm, "
           "LSTM, Gather tables)";
  }
  int64_t RequiredOpset(const PlanOptions&) const override { return 11; }  // DynamicQuantizeLinear
  int64_t PreferredOpset(const PlanOptions& options) const override {
    return options.compat == Compat::kOff ? 17 : RequiredOpset(options);  // LayerNormalization
  }

  bool Takes(const PlanOptions& options) const override {
    return options.activation == DataType::kUInt8 && IsByte(options.weight);
  }
  bool FollowsRuntime() const override { return true; }
  bool HasWeightForms() const override { return false; }
  bool NeedsStatistics(const PlanOptions&) const override { return false; }
  bool TakesImprovements(const PlanOptions&) const override { return false; }

  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions& options) const override {
    if (pass == "split_gemm" || pass == "split_shared_initializers_last") return true;  // its form of nodes
    if (options.compat == Compat::kOnnxRuntime)
      return RuntimeRewrites(pass, options.op_list.preprocessing.optimize == true);
    return IsFasterForm(pass) ? options.compat == Compat::kOff : by_default;
  }
  bool LeavesNode(std::string_view pass, const Model& model, const Node& node,
                  const PlanOptions& options) const override {
    return options.compat == Compat::kOnnxRuntime && RuntimeLeaves(pass, model, node);
  }
  bool DoesAnyway(std::string_view key) const override { return key == "MatMulConstBOnly" || key == "EnableSubgraph"; }
  bool RewritesBodies(const PlanOptions& options) const override {
    return options.compat == Compat::kOff || options.op_list.selection.sub_graphs;
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(options.activation, options.weight));
    for (const auto& [given, option] : {std::pair(options.activation_symmetric == true, "--symmetric"),
                                        std::pair(options.scale_type != ScaleType::kFloat32, "--scale-type"),
                                        std::pair(options.HasBlockSize(), "--block-size")}) {
      if (given) return Error(ErrorId::kConflictingOptions, option, ": has no effect with --target dynamic");
    }
    return PlanDynamic(model, options);
  }

 private:
  static Status CheckTypes(const TensorType& activation, const TensorType& weight) {
    if (!(activation == DataType::kUInt8))
      return Error(ErrorId::kNotYetSupported, "--activation ", activation.name(),
                   ": target dynamic supports only uint8");
    if (!IsByte(weight))
      return Error(ErrorId::kNotYetSupported, "--weight ", weight.name(),
                   ": target dynamic supports only int8 and uint8");
    return Status::Ok();
  }
};

}  // namespace

std::unique_ptr<Target> MakeDynamicTarget() { return std::make_unique<DynamicTarget>(); }

}  // namespace preon
