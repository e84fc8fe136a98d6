// Target simulate: what a type does to a model, on an unmodified ONNX Runtime.
#include "quantize/targets/op_list/op_list_planner.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

class SimulateTarget final : public Target {
 public:
  std::string_view name() const override { return "simulate"; }
  std::string_view summary() const override {
    return "measures the accuracy of any type: computes in float and rounds with standard operators, on any ONNX "
           "Runtime";
  }
  int64_t RequiredOpset(const PlanOptions& options) const override { return OpListOpset(options.Needs(), kOperators); }
  bool Takes(const PlanOptions&) const override { return true; }
  bool HasOwnNumbers() const override { return true; }
  bool NeedsStatistics(const PlanOptions& options) const override {
    return OpListNeedsStatistics(options.activation, options.scaled.activation, options.HasSettings());
  }
  bool TakesImprovements(const PlanOptions& options) const override {
    return NeedsStatistics(options) || options.activation.block() != nullptr;
  }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanOpList(model, options, SimulateRules(options.activation, options.compat));
  }

 private:
  static constexpr OperatorForm kOperators = OperatorForm::kStock;
};

}  // namespace

std::unique_ptr<Target> MakeSimulateTarget() { return std::make_unique<SimulateTarget>(); }

}  // namespace preon
