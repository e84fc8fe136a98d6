#include "pipeline/dpu_costs.h"

#include <algorithm>
#include <string_view>

#include "pipeline/write_plan.h"
#include "quantize/qdq_passes/integer_form.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "runtime/session.h"

namespace preon {
namespace {

bool IsOfDpu(std::string_view pass) { return pass.starts_with("dpu_"); }

// Of the worst output that can be compared.
Result<double> SqnrDb(const std::vector<NamedTensor>& reference, const std::vector<NamedTensor>& other,
                      int64_t samples) {
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(reference, other, samples, {}));
  double worst = kExactSqnrDb;
  for (const auto& [name, output] : comparer.Finish().outputs) {
    if (!output.left_out) worst = std::min(worst, output.sqnr_db);
  }
  return worst;
}

class Measurement {
 public:
  Measurement(const PlannedModel& prepared, const PlanInputs& inputs, const RangeMethod& method,
              const RunContext& context)
      : prepared_(prepared), inputs_(inputs), method_(method), context_(context) {}

  // Without these passes.
  Result<Model> Write(const std::vector<std::string>& disabled) const {
    PlanInputs inputs = inputs_;
    inputs.passes.disabled.insert(disabled.begin(), disabled.end());
    for (const std::string& pass : disabled) inputs.passes.enabled.erase(pass);
    inputs.passes.verify = nullptr;
    return WritePlan(prepared_.model, prepared_.plan, method_, inputs, context_);
  }

  // Those that change the model.
  Result<std::vector<std::string>> Acting() const {
    const QdqPassRegistry passes = MakeQdqPasses();
    std::vector<std::string> wanted, acting;
    for (const auto& pass : passes.entries()) {
      const std::string name(pass->name());
      const bool asked = pass->WantedBy(prepared_.plan) || inputs_.passes.enabled.contains(name);
      if (IsOfDpu(name) && asked && !inputs_.passes.disabled.contains(name)) wanted.push_back(name);
    }
    if (wanted.empty()) return acting;
    PREON_ASSIGN_OR_RETURN(Model model, Write(wanted));
    for (const std::string& name : wanted) {
      std::vector<std::string> ignored;
      PREON_ASSIGN_OR_RETURN(const QdqPass* pass, passes.Find(name));
      PREON_ASSIGN_OR_RETURN(const Effect effect, pass->Apply(model, prepared_.plan, ignored));
      if (effect == Effect::kChanged) acting.push_back(name);
    }
    return acting;
  }

 private:
  const PlannedModel& prepared_;
  const PlanInputs& inputs_;
  const RangeMethod& method_;
  const RunContext& context_;
};

}  // namespace

Result<std::vector<DpuCost>> MeasureDpuCosts(const PlannedModel& prepared, const PlanInputs& inputs,
                                             const RangeMethod& method, const Batch& batch,
                                             const ModelOutputs& float_model, const RunContext& context) {
  std::vector<DpuCost> costs;
  const Measurement measurement(prepared, inputs, method, context);
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> acting, measurement.Acting());
  if (acting.empty()) return costs;
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> wanted, float_model(batch));
  const auto db_without = [&](const std::vector<std::string>& disabled) -> Result<double> {
    PREON_ASSIGN_OR_RETURN(Model written, measurement.Write(disabled));
    PREON_ASSIGN_OR_RETURN(const Model model, IntegerForm(std::move(written)));
    PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(model, {.threads = context.ThreadCount()}, context));
    PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> outputs, OutputsOf(session, context)(batch));
    return SqnrDb(wanted, outputs, batch.samples);
  };
  PREON_ASSIGN_OR_RETURN(const double with_db, db_without({}));
  for (const std::string& pass : acting) {
    PREON_ASSIGN_OR_RETURN(const double without_db, db_without({pass}));
    costs.push_back({.pass = pass, .with_db = with_db, .without_db = without_db});
  }
  return costs;
}

}  // namespace preon
