#include "search/trial.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "eval/compare_models.h"
#include "eval/state_loop.h"
#include "pipeline/write_plan.h"

namespace preon {
namespace {

constexpr size_t kSomeRuns = 8;
constexpr double kMostRunDb = 60;  // of one run: beyond, nobody sees a difference

// Noise over signal, 10^(-SQNR / 10), averaged over the outputs. States do not count: in closed loop the others show
// what comes of their error. None where no output can be compared.
std::optional<double> MeanSqnrDb(const Comparison& comparison, const std::vector<StateLink>& links) {
  double noise = 0, outputs = 0;
  for (const auto& [name, output] : comparison.outputs) {
    if (output.left_out || std::ranges::find(links, name, &StateLink::output) != links.end()) continue;
    noise += output.not_finite > 0 ? 1e20 : std::pow(10, -output.sqnr_db / 10);
    ++outputs;
  }
  if (outputs == 0) return std::nullopt;
  return std::min(kExactSqnrDb, -10 * std::log10(noise / outputs));
}

}  // namespace

int64_t Trials::SampleCount() const {
  int64_t samples = 0;
  for (const TrialRun& run : samples_.runs()) samples += run.batch.samples;
  return samples;
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
                                              const PlanInputs& inputs, TrialSize size) {
  const RunContext counted = BeginRun();
  PREON_ASSIGN_OR_RETURN(const Model quantized, WritePlan(model, plan, method, inputs, context_));
  const std::vector<StateLink> links = FindStateLinks(model.graph);
  const bool all = size == TrialSize::kAll || !links.empty();
  const std::unique_ptr<DataSource> source =
      samples_.Open(all ? 1 : (samples_.runs().size() + kSomeRuns - 1) / kSomeRuns);
  const RunPlan runs = links.empty() ? PlanRuns(quantized, context_.ThreadCount(), *source, memory_)
                                     : RunPlan{.at_once = 1, .threads = context_.ThreadCount()};
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(quantized, {.threads = runs.threads}, context_));
  const auto float_outputs = [&](const Batch& batch) {
    return std::ranges::find(samples_.runs(), batch.first_sample,
                             [](const TrialRun& run) { return run.batch.first_sample; })
        ->outputs;
  };
  ModelOutputs outputs = OutputsOf(session, counted);
  if (!links.empty()) outputs = InClosedLoop(links, std::move(outputs));
  std::mutex keeping;
  std::map<int64_t, double> run_db;
  const ModelOutputs compared = [&](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> got, outputs(batch));
    Comparer run;
    PREON_RETURN_IF_ERROR(run.Add(float_outputs(batch), got, batch.samples, {}));
    const std::optional<double> sqnr_db = MeanSqnrDb(run.Finish(), links);
    const std::lock_guard lock(keeping);
    if (sqnr_db) run_db[batch.first_sample] = std::min(*sqnr_db, kMostRunDb);
    return got;
  };
  PREON_ASSIGN_OR_RETURN(const Comparison comparison,
                         Compare(float_outputs, compared, *source, {.at_once = runs.at_once}, counted));
  const std::optional<double> sqnr_db = MeanSqnrDb(comparison, links);
  if (!sqnr_db) return std::optional<TrialError>();
  TrialError error{.sqnr_db = *sqnr_db};
  for (const auto& [sample, db] : run_db) error.typical_db += db / static_cast<double>(run_db.size());
  return std::optional(error);
}

}  // namespace preon
