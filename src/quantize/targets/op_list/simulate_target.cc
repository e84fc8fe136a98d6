// Target simulate: what a type does to a model, on an unmodified ONNX Runtime.
#include "quantize/targets/op_list/op_list_target.h"

namespace preon {
namespace {

class SimulateTarget final : public OpListTarget {
 public:
  std::string_view name() const override { return "simulate"; }
  std::string_view summary() const override {
    return "measures the accuracy of any type: computes in float and rounds with standard operators, on any ONNX "
           "Runtime";
  }
  int64_t RequiredOpset(const PlanOptions& options) const override { return OpListOpset(options.Needs(), kOperators); }
  bool Takes(const PlanOptions&) const override { return true; }
  bool HasOwnNumbers() const override { return true; }
  bool HasOpList() const override { return true; }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanOpList(model, options, RulesOf(options));
  }

 private:
  OpListRules RulesOf(const PlanOptions& options) const override {
    return SimulateRules(options.activation, options.compat);
  }
  static constexpr OperatorForm kOperators = OperatorForm::kStock;
};

}  // namespace

std::unique_ptr<Target> MakeSimulateTarget() { return std::make_unique<SimulateTarget>(); }

}  // namespace preon
