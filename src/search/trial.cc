#include "search/trial.h"

#include <algorithm>
#include <set>

#include "data/batch_loop.h"
#include "eval/compare_runs.h"
#include "eval/error_sums.h"
#include "eval/state_loop.h"
#include "pipeline/write_plan.h"
#include "quantize/qdq_passes/integer_form.h"

namespace preon {
namespace {

constexpr size_t kSomeRuns = 8, kFirstRuns = 4;

// In closed loop the other outputs show what comes of the error of a state.
std::set<std::string> StatesOf(const std::vector<StateLink>& links) {
  std::set<std::string> states;
  for (const StateLink& link : links) states.insert(link.output);
  return states;
}

}  // namespace

int64_t Trials::SampleCount() const {
  int64_t samples = 0;
  for (const TrialRun& run : samples_.runs()) samples += run.batch.samples;
  return samples;
}

void Trials::ExpectNoMore() {
  expected_ = done_;
  context_.Report({.stage = "try", .done = done_, .total = expected_});
}

RunContext Trials::BeginRun() {
  const int64_t before = done_;
  done_ += SampleCount();
  expected_ = std::max(expected_, done_);
  RunContext run = context_;
  run.stages = nullptr;  // it is all one stage
  run.progress = [before, total = expected_, progress = context_.progress](const Progress& now) {
    if (progress) progress({.stage = "try", .done = before + now.done, .total = total});
  };
  return run;
}

Status Trials::CloseLoop(const Model& model) {
  const std::vector<StateLink> links = FindStateLinks(model.graph);
  if (links.empty()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(model, {.threads = context_.ThreadCount()}, context_));
  const ModelOutputs float_outputs = InClosedLoop(links, OutputsOf(session, context_));
  for (size_t run = 0; run < samples_.runs().size(); ++run) {
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, float_outputs(samples_.runs()[run].batch));
    samples_.SetOutputs(run, std::move(outputs));
  }
  return Status::Ok();
}

Status Trials::Visit(const Model& quantized, const TrialRuns& which, const TrialVisitor& visit) {
  const RunContext counted = BeginRun();
  PREON_ASSIGN_OR_RETURN(
      Session session,
      Session::OpenModel(quantized, {.threads = context_.ThreadCount(), .optimization = which.optimization}, context_));
  ModelOutputs outputs = OutputsOf(session, context_);
  const std::vector<StateLink> links = FindStateLinks(quantized.graph);
  const std::vector<TrialRun>& runs = samples_.runs();
  const size_t step = links.empty() ? (runs.size() + which.most - 1) / which.most : 1;
  if (!links.empty()) outputs = InClosedLoop(links, std::move(outputs));
  for (size_t run = 0; run < std::min(runs.size(), which.most * step); run += step) {
    PREON_RETURN_IF_ERROR(context_.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> got, outputs(runs[run].batch));
    PREON_RETURN_IF_ERROR(visit(runs[run].outputs, got));
  }
  counted.Report({.stage = "try", .done = SampleCount()});
  return Status::Ok();
}

Result<std::optional<TrialError>> Trials::Run(const Model& model, const QuantPlan& plan, const RangeMethod& method,
                                              const PlanInputs& inputs, TrialSize size, const TrialError* best) {
  const RunContext counted = BeginRun();
  PREON_ASSIGN_OR_RETURN(Model written, WritePlan(model, plan, method, inputs, context_));
  PREON_ASSIGN_OR_RETURN(const Model quantized, IntegerForm(std::move(written)));
  const std::vector<StateLink> links = FindStateLinks(model.graph);
  const bool all = size == TrialSize::kAll || !links.empty();
  const size_t step_of_some = links.empty() ? (samples_.runs().size() + kSomeRuns - 1) / kSomeRuns : 1;
  const size_t step = all ? 1 : step_of_some;
  const std::unique_ptr<DataSource> source = samples_.Open(step);
  const RunPlan runs = links.empty() ? PlanRuns(quantized, context_.ThreadCount(), *source, memory_)
                                     : RunPlan{.at_once = 1, .threads = context_.ThreadCount()};
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(quantized, {.threads = runs.threads}, context_));
  ModelOutputs outputs = OutputsOf(session, counted);
  if (!links.empty()) outputs = InClosedLoop(links, std::move(outputs));
  MeanError mean(StatesOf(links));
  TrialError error;
  size_t done = 0;  // runs
  const auto compare = [&](const Batch& batch) -> Result<InTurn> {
    PREON_RETURN_IF_ERROR(context_.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> got, outputs(batch));
    return InTurn([&, got = std::move(got)]() -> Status {
      const size_t run = step * done++;
      PREON_ASSIGN_OR_RETURN(std::optional<double> db,
                             mean.Add(samples_.runs()[run].outputs, got, run % step_of_some == 0));
      if (db) db = std::min(*db, kMostRunDb);
      error.runs_db.push_back(db);
      return Status::Ok();
    });
  };
  const size_t count = (samples_.runs().size() + step - 1) / step;
  for (size_t end = all ? kFirstRuns : count; done < count && !error.ended_early; end *= 2) {
    BatchLoopOptions part{.at_once = runs.at_once, .max_samples = 0};
    for (size_t run = done; run < std::min(end, count); ++run)
      part.max_samples += samples_.runs()[step * run].batch.samples;
    PREON_RETURN_IF_ERROR(ForEachBatch(*source, part, compare));
    error.prefixes_db.push_back(mean.SqnrDb());
    error.ended_early = best != nullptr && done < count && IsClearlyWorse(error, *best);
    counted.Report({.stage = "try", .done = static_cast<int64_t>(done) * source->BatchSize()});
  }
  counted.Report({.stage = "try", .done = SampleCount()});
  if (error.prefixes_db.empty() || !error.prefixes_db.back()) return std::optional<TrialError>();
  error.sqnr_db = *error.prefixes_db.back();
  if (error.ended_early) error.sqnr_db += best->sqnr_db - *best->prefixes_db[error.prefixes_db.size() - 1];
  error.some.sqnr_db = mean.SqnrDbOfPicked().value_or(error.sqnr_db);
  double compared = 0;
  for (size_t run = 0; run < error.runs_db.size(); run += step_of_some / step) {
    error.some.typical_db += error.runs_db[run].value_or(0);
    compared += error.runs_db[run].has_value();
  }
  error.some.typical_db /= std::max(1.0, compared);
  return std::optional(std::move(error));
}

}  // namespace preon
