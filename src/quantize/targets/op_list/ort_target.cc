// Target ort: Q/DQ where ONNX Runtime's quantize_static puts them in QDQ format.
#include <algorithm>
#include <array>

#include "quantize/settings/tensor_settings.h"
#include "quantize/targets/op_list/op_list_forms.h"
#include "quantize/targets/op_list/op_list_target.h"
#include "quantize/targets/runtime_rewrites.h"

namespace preon {
namespace {

constexpr std::array kOrtTargetTypes = {DataType::kUInt8, DataType::kInt8, DataType::kUInt16,      DataType::kInt16,
                                        DataType::kUInt4, DataType::kInt4, DataType::kFloat8E4M3FN};
constexpr int64_t kSmallestOpset = 11;

class OrtTarget final : public OpListTarget {
 public:
  std::string_view name() const override { return "ort"; }
  std::vector<std::string_view> aliases() const override { return {"quantize_static", "qdq"}; }
  std::string_view summary() const override {
    return "Q/DQ placement of ONNX Runtime's own quantizer: pairs around every operator that it lists, Relu and Clip "
           "folded";
  }
  int64_t RequiredOpset(const PlanOptions& options) const override {
    // That quantizer raises the opset for 16 bits alone.
    const bool contrib = options.op_list.pairs.contrib_domain ||
                         (options.compat == Compat::kOnnxRuntime && !HasIntegersOf({16}, options.Types()));
    return std::max(kSmallestOpset, OpListOpset(options.Needs(), OperatorForm::kStock, contrib));
  }
  bool Takes(const PlanOptions& options) const override {
    return CheckTypes(name(), kOrtTargetTypes, options.activation, options.weight, options.settings).ok();
  }
  bool WantsPass(std::string_view pass, bool by_default, const PlanOptions& options) const override {
    const bool prepares = options.compat == Compat::kOnnxRuntime && options.op_list.preprocessing.optimize == true;
    return options.compat == Compat::kOff ? by_default : RuntimeRewrites(pass, prepares);
  }
  bool LeavesNode(std::string_view pass, const Model& model, const Node& node,
                  const PlanOptions& options) const override {
    return options.compat == Compat::kOnnxRuntime && RuntimeLeaves(pass, model, node);
  }
  bool HasOpList() const override { return true; }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    PREON_RETURN_IF_ERROR(CheckTypes(name(), kOrtTargetTypes, options.activation, options.weight, options.settings));
    return PlanOpList(model, options, RulesOf(options));
  }

 private:
  OpListRules RulesOf(const PlanOptions& options) const override {
    const bool integer = options.op_list.pairs.integer_operators && options.compat == Compat::kOnnxRuntime;
    return integer ? OrtIntegerRules() : OrtRules();
  }
};

}  // namespace

std::unique_ptr<Target> MakeOrtTarget() { return std::make_unique<OrtTarget>(); }

}  // namespace preon
