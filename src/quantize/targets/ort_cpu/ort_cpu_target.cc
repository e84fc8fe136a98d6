// Target ort-cpu: ONNX Runtime's CPU provider on x86-64, so that every Conv, Gemm and MatMul that gains runs in
// integers.
#include <algorithm>
#include <array>

#include "quantize/targets/faster_forms.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

constexpr std::array<std::string_view, 3> kForIntegerKernels = {"lower_batch_norm", "lower_linear_layers",
                                                                "split_shared_initializers_last"};

class OrtCpuTarget final : public Target {
 public:
  std::string_view name() const override { return "ort-cpu"; }
  std::string_view summary() const override {
    return "ONNX Runtime on CPU: u8 activations, s8 per-channel weights, only where ONNX Runtime has integer kernels";
  }
  int64_t RequiredOpset(const PlanOptions&) const override { return 13; }   // per-channel Q/DQ
  int64_t PreferredOpset(const PlanOptions&) const override { return 17; }  // LayerNormalization

  bool Takes(const PlanOptions& options) const override {
    return CheckOrtCpuTypes(options.activation, options.weight, options.settings).ok() &&
           CheckOrtCpuTypes(options.activation, options.weight, options.possible).ok() && !options.HasBlockSize() &&
           options.weight_form.value_or(WeightForm::kPacked) == WeightForm::kPacked;
  }
  bool FollowsRuntime() const override { return true; }
  bool HasWeightForms() const override { return false; }
  // Neither needs ranges of activations, so that nothing is calibrated again.
  std::vector<OtherTarget> InsteadOfIt() const override {
    return {{.name = "dynamic"}, {.name = "matmul-nbits", .weight = DataType::kInt8}};
  }

  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions&) const override {
    return by_default || IsFasterForm(pass) || std::ranges::find(kForIntegerKernels, pass) != kForIntegerKernels.end();
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanForOrtCpu(model, options);
  }
};

}  // namespace

std::unique_ptr<Target> MakeOrtCpuTarget() { return std::make_unique<OrtCpuTarget>(); }

}  // namespace preon
