// Target ort-cpu: ONNX Runtime's CPU provider on x86-64, so that every Conv, Gemm and MatMul that gains runs in
// integers.
#include "passes/passes.h"
#include "passes/prepare.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

class OrtCpuTarget final : public Target {
 public:
  std::string_view name() const override { return "ort-cpu"; }
  std::string_view summary() const override {
    return "ONNX Runtime on CPU: u8 activations, s8 per-channel weights, placed so that integer kernels really run";
  }
  int64_t RequiredOpset(const PlanOptions&) const override { return 13; }   // per-channel Q/DQ
  int64_t PreferredOpset(const PlanOptions&) const override { return 17; }  // LayerNormalization

  bool Takes(const PlanOptions& options) const override { return OrtCpuTakes(options); }
  bool FollowsRuntime() const override { return true; }

  Status Prepare(Model& model, const PlanOptions&) const override {
    FoldGemmScalars(model);
    LowerBatchNorm(model);
    LowerLinearLayers(model);
    // A constant read in several roles gets a name, and so codes, for each.
    PREON_RETURN_IF_ERROR(MakeSplitSharedInitializersPass()->Apply(model, {}).status());
    return model.graph.CheckIntegrity();
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanForOrtCpu(model, options);
  }
};

}  // namespace

std::unique_ptr<Target> MakeOrtCpuTarget() { return std::make_unique<OrtCpuTarget>(); }

}  // namespace preon
