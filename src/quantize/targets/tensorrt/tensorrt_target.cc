// Target tensorrt: NVIDIA TensorRT, which builds INT8 kernels from Q/DQ nodes (docs/design/tensorrt.md).
#include <array>

#include "base/text.h"
#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/targets.h"
#include "quantize/targets/tensorrt/tensorrt_planner.h"

namespace preon {
namespace {

constexpr std::array kTensorrtTypes = {DataType::kInt8};
constexpr int64_t kChannelScalesOpset = 13;
// TensorRT finds these patterns itself; as one operator not every version reads them: Gelu is com.microsoft's below
// opset 20, LayerNormalization and LpNormalization need TensorRT 8.6.
constexpr auto kFoundByTensorrt = std::to_array<std::string_view>({"fuse_gelu", "fuse_layer_norm", "fuse_l2_norm"});
// They make layers, which have INT8 kernels, of what has none.
constexpr auto kMakesLayers = std::to_array<std::string_view>({"convert_einsum", "fold_gemm_scalars"});

class TensorrtTarget final : public Target {
 public:
  std::string_view name() const override { return "tensorrt"; }
  std::vector<std::string_view> aliases() const override { return {"trt"}; }
  std::string_view summary() const override {
    return "NVIDIA TensorRT (explicit quantization): int8 without zero points, Q/DQ in front of layers, none where "
           "TensorRT fuses operators, float biases";
  }
  int64_t RequiredOpset(const PlanOptions&) const override { return kChannelScalesOpset; }
  bool Takes(const PlanOptions& options) const override {
    return CheckTypes(name(), kTensorrtTypes, options.activation, options.weight, options.settings).ok();
  }
  bool HasOwnNumbers() const override { return true; }
  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions&) const override {
    return (by_default && !Contains(kFoundByTensorrt, pass)) || Contains(kMakesLayers, pass);
  }
  Status SettleScales(const GivenScales& given, PlanOptions* plan) const override {
    if (!given.activation) plan->activation = DataType::kInt8;
    if (plan->activation_symmetric == false) return NoZeroPoints("--symmetric");
    if (plan->weight_symmetric == false) return NoZeroPoints("WeightSymmetric");
    plan->activation_symmetric = true;
    if (plan->block_size)
      return Error(ErrorId::kConflictingOptions, "--block-size: has no effect with --target ", name());
    return Status::Ok();
  }
  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(name(), kTensorrtTypes, options.activation, options.weight, options.settings));
    return PlanForTensorrt(model, options);
  }

 private:
  Status NoZeroPoints(std::string_view setting) const {
    return Error(ErrorId::kConflictingOptions, "--target ", name(), ": got ", setting,
                 " false, wanted true: TensorRT has no zero points");
  }
};

}  // namespace

std::unique_ptr<Target> MakeTensorrtTarget() { return std::make_unique<TensorrtTarget>(); }

}  // namespace preon
