// Target quark: the reference's layout, with its operators where QuantizeLinear has not the type (spec formats §10).
#include "quantize/every_op_planner.h"

namespace preon {
namespace {

class QuarkTarget final : public Target {
 public:
  std::string_view name() const override { return "quark"; }
  std::string_view summary() const override {
    return "the layout that NPU compilers expect: quantizers around every listed operator, for other types those of libpreon_ops.so";
  }
  int64_t RequiredOpset(const PlanOptions& options) const override { return EveryOpOpset(options, kOperators); }
  bool Takes(const PlanOptions& options) const override { return TakesEveryType(options); }
  bool NeedsStatistics(const PlanOptions& options) const override { return EveryOpNeedsStatistics(options); }

  Status Prepare(Model&, const PlanOptions&) const override { return Status::Ok(); }

  Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const override {
    return PlanEveryOp(model, options, {name(), kOperators});
  }

 private:
  static constexpr OperatorForm kOperators = OperatorForm::kLibrary;
};

}  // namespace

std::unique_ptr<Target> MakeQuarkTarget() { return std::make_unique<QuarkTarget>(); }

}  // namespace preon
