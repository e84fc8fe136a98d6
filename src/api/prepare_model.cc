#include "api/prepare_model.h"

#include "base/system.h"
#include "eval/compare.h"
#include "eval/fusion_report.h"
#include "ir/model_io.h"
#include "runtime/evaluator.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Rewrites only change the order of float operations: errors around 1e-6 of the output. 60 dB is 1e-3.
constexpr double kSameSqnrDb = 60;

Result<std::vector<NamedTensor>> RunOnce(const Model& model, const Batch& batch, const RunContext& context) {
  // As it stands: opens faster, and a rewrite is not blamed for what the runtime rewrites.
  const SessionOptions options{.threads = context.ThreadCount(), .optimization = Optimization::kOff};
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(model, options, context));
  return session.Run(batch.feeds, context);
}

// Smallest SQNR over the outputs, or the first thing that is worse than a number.
Status CheckSame(const std::vector<NamedTensor>& expected, const Model& model, const Batch& batch,
                 const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> got, RunOnce(model, batch, context));
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(expected, got, batch.samples, {}));
  for (const auto& [name, output] : comparer.Finish().outputs) {
    if (output.sqnr_db >= kSameSqnrDb && output.not_finite == 0 && output.shape_differs == 0) continue;
    return Error(ErrorId::kPassFailed, "output '", name, "' differs: ", output.max_abs, " at most, SQNR ",
                 output.sqnr_db, " dB");
  }
  return Status::Ok();
}

// Takes the model to `opset` when it is below; a model above keeps its own.
Status RaiseOpset(Model& model, int64_t opset) {
  return model.opset() < opset ? ConvertOpset(model, opset) : Status::Ok();
}

using Verify = std::function<Status(const Model& before, const Model& after)>;

// One attempt. `verify`, where there is one, decides about every single rewrite.
Result<PreparedModel> Rewrite(const Model& source, const Job& job, const Verify& verify) {
  PreparedModel prepared{.source = source, .model = source};
  Model& model = prepared.model;
  const Target& target = *job.choices.target;
  const PlanOptions& plan = job.options.plan;

  const Status raised = RaiseOpset(model, target.PreferredOpset(plan));
  if (!raised.ok() || (verify && !verify(source, model).ok())) {
    model = source;
    PREON_RETURN_IF_ERROR(RaiseOpset(model, target.RequiredOpset(plan)).WithContext(source.source_path));
    prepared.warnings.push_back(StrCat("opset ", model.opset(), " instead of ", target.PreferredOpset(plan),
                                       raised.ok() ? ": raising it changes the outputs" : ": " + raised.message()));
  }

  RuntimeEvaluator evaluator(job.context);
  PassRunnerOptions runner{.disabled = job.options.disabled_passes};
  runner.verify = verify;
  for (const PassRecord& record : RunPasses(model, job.builtins.passes, {&evaluator, &job.context}, runner)) {
    if (!record.problem.empty()) prepared.warnings.push_back(StrCat("pass ", record.name, ": ", record.problem));
  }

  const Model before = model;
  PREON_RETURN_IF_ERROR(target.Prepare(model, plan));
  if (verify) PREON_RETURN_IF_ERROR(verify(before, model).WithContext("target ", target.name()));
  InferShapes(model);
  PREON_ASSIGN_OR_RETURN(prepared.plan, target.Plan(model, plan));
  if (prepared.plan.activations.empty()) {
    return Error(ErrorId::kNothingToQuantize, source.source_path, ": none of its ", source.graph.nodes().size(),
                 " nodes can run as an integer kernel");
  }
  prepared.warnings.insert(prepared.warnings.end(), prepared.plan.warnings.begin(), prepared.plan.warnings.end());
  return prepared;
}

Status CheckIsFloat(const Model& model) {
  for (const auto& node : model.graph.nodes()) {
    if (node->op_type != "QuantizeLinear" && node->op_type != "DequantizeLinear" && !IsIntegerKernel(node->op_type))
      continue;
    return Error(ErrorId::kAlreadyQuantized, model.source_path, ": node ", node->name, ": the model already holds ",
                 node->op_type, "; wanted a float model");
  }
  return Status::Ok();
}

}  // namespace

Result<PreparedModel> PrepareModel(const std::string& path, Job& job) {
  job.clock.Begin("load");
  PREON_ASSIGN_OR_RETURN(Model source, LoadModel(path));
  PREON_RETURN_IF_ERROR(CheckIsFloat(source));
  InferShapes(source);
  PREON_ASSIGN_OR_RETURN(const Batch batch, FirstBatch(job, InputSpecs(source.graph)));
  job.clock.Begin("prepare");
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> expected, RunOnce(source, batch, job.context));
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, Rewrite(source, job, {}));
  const Status same = CheckSame(expected, prepared.model, batch, job.context);
  if (same.ok()) {
    ReleaseFreeMemory();
    return prepared;
  }
  PREON_RETURN_IF_ERROR(job.context.CheckCancelled());

  // Rare: look for the rewrite that is to blame, unless the model does not even agree with itself.
  const auto check = [&](const Model&, const Model& after) { return CheckSame(expected, after, batch, job.context); };
  if (!check(source, source).ok()) {
    prepared.warnings.push_back("the model gives other outputs every time: rewrites could not be checked");
    return prepared;
  }
  PREON_ASSIGN_OR_RETURN(prepared, Rewrite(source, job, check));
  prepared.warnings.push_back(StrCat("rewrites were taken back: ", same.message()));
  return prepared;
}

}  // namespace preon
