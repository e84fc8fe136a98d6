#include "pipeline/improve_codes.h"

#include <chrono>
#include <functional>

#include "base/spelling.h"
#include "ir/model_io.h"
#include "reconstruct/reconstruction_cost.h"

namespace preon {
namespace {

constexpr int64_t kFewestRuns = 8;      // with fewer, too few judge
constexpr int64_t kRunsToTell = 4;      // how far the outputs are off
constexpr double kLeastGainDb = 0.5;    // less is chance
constexpr double kEnoughDb = 40;        // nobody sees what comes nearer
constexpr double kEnoughDbOfNpus = 50;  // with one scale per tensor, small values are lost long before
// With fewer rows per input, what a layer wins where codes are fitted gets lost on other samples.
constexpr double kLeastEvidence = 2;
constexpr int64_t kShareOfRuns = 6;  // of all runs at most one of so many
constexpr size_t kMostListed = 3;
constexpr size_t kMostRefused = 2;  // where groups do not help, others hardly do
// Of one core. NPUs and coarse weights, of few bits or bytes beside finer activations, lose so much that all layers are
// worth it, and more time.
constexpr double kFreeNs = 0.2e9, kFreeNsOfNpus = 2.5e9, kFreeNsOfCoarseWeights = 10e9;
// The error of few bits is large, and what few runs tell of it is chance: 12 of 100 sentences took a transformer with 4
// bits from 23.7 to 16.3 dB, 8 that judged to 19.3, all with 20 that judged to 24.3.
constexpr size_t kJudgingShareOfCoarseWeights = 4;

size_t SizeBytes(const Batch& batch) {
  size_t bytes = 0;
  for (const NamedTensor& feed : batch.feeds) bytes += feed.tensor.bytes().size();
  return bytes;
}

// Every `step`-th run, or every 2^k-th of these where all would be more than `most_bytes`; the first always.
Result<std::vector<Batch>> ReadRuns(const Samples& samples, const Graph& graph, int64_t most_samples, size_t most_bytes,
                                    size_t step) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(InputSpecs(graph), {.limit = most_samples}));
  source = Prefetch(std::move(source));
  std::vector<Batch> runs;
  size_t bytes = 0;
  for (size_t index = 0;; ++index) {
    PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
    if (!batch) return runs;
    if (index % step != 0) continue;
    bytes += SizeBytes(*batch);
    runs.push_back(std::move(*batch));
    if (bytes <= most_bytes || runs.size() == 1) continue;
    std::vector<Batch> thinned;
    for (size_t kept = 0; kept < runs.size(); kept += 2) thinned.push_back(std::move(runs[kept]));
    runs = std::move(thinned);
    step *= 2;
    bytes = 0;
    for (const Batch& run : runs) bytes += SizeBytes(run);
  }
}

// Reads every `step`-th run.
using ReadsRuns = std::function<Result<std::vector<Batch>>(size_t step)>;

struct RunsToRead {
  size_t step = 1;
  std::string why_none;   // ""; else nothing is done
  int64_t available = 0;  // runs that there are
  bool too_dear = false;
  std::set<std::string> last_layers;
  size_t step_of_last = 0;   // what they are fitted to once more; 0: nothing
  size_t least_of_last = 0;  // fewer tell too little: some are held out, and all may be too much memory
};

size_t StepOf(int64_t runs, int64_t available) { return static_cast<size_t>((available + runs - 1) / runs); }

// What an algorithm with a limit of cost does: few runs, of which more judge, a few judgements. Every how many-th run
// it reads.
Result<RunsToRead> MakeQuick(const CodesToImprove& of, const Samples& samples, ReconstructionScope& scope) {
  const bool of_npu = of.plan.positions.has_value(), loses_much = of.plan.NeedsBetterCodes();
  const bool coarse_weights = loses_much && !of_npu;
  scope.rows = {.per_input = 4, .least = 2048, .evidence = loses_much ? 0 : kLeastEvidence};
  if (coarse_weights) scope.rows = RowCount();
  if (!loses_much) scope.most_refused = kMostRefused;
  scope.judging_step = coarse_weights ? kJudgingShareOfCoarseWeights : kJudgingShare;
  scope.blocks = kBlocks;
  scope.least_gain_db = kLeastGainDb;
  scope.enough_db = of_npu ? kEnoughDbOfNpus : kEnoughDb;
  scope.memory_bytes = size_t{64} << 20;
  if (!samples.open || samples.made_up()) return RunsToRead{.why_none = "needs --data"};
  const Graph& graph = of.reference.model.graph;
  if (HasLargeWeights(graph))
    return RunsToRead{.why_none = "it takes several times the memory of the weights, which are above 1 GiB"};
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source,
                         samples.open(InputSpecs(graph), {.limit = scope.samples}));
  const int64_t size = std::max<int64_t>(source->BatchSize(), 1);
  // Those that are held out count as well. A source that does not know has enough, until they have been counted.
  const int64_t there = of.calibrated > 0 ? of.calibrated : source->SampleCount().value_or(kMostRuns * size);
  const int64_t available = (there + size - 1) / size;
  if (available < kFewestRuns)
    return RunsToRead{.why_none = StrCat("needs at least ", kFewestRuns, " runs of samples")};
  const ReconstructionCost costs = CostsOf(graph, of.plan, scope.op_types, scope.rows, there);
  CostLimit most{.calibrations = *scope.most_cost, .free_ns = kFreeNs, .share_of_runs = kShareOfRuns};
  if (of_npu) most.free_ns = kFreeNsOfNpus;
  if (coarse_weights)
    most = {.calibrations = *scope.most_cost,
            .free_ns = kFreeNsOfCoarseWeights,
            .share_of_runs = 1,
            .runs = kMostRunsOfCoarseWeights};
  const int64_t runs = RunsWithin(costs, most, size, available);
  if (runs == 0)
    return RunsToRead{.why_none = "it would take longer than calibration", .available = available, .too_dear = true};
  const int64_t of_last = loses_much ? RunsOfLastLayers(costs, most, size, available, runs) : 0;
  return RunsToRead{.step = StepOf(runs, available),
                    .last_layers = {costs.last_layers.begin(), costs.last_layers.end()},
                    .step_of_last = of_last == 0 ? 0 : StepOf(of_last, available),
                    .least_of_last = static_cast<size_t>(costs.LeastRunsOfLastLayers(size, runs) * 3 / 4)};
}

// Where the outputs are useless as they are, time is no reason against. All runs then, up to what gains nothing more.
Result<RunsToRead> MakeThorough(const Model& quantized, const CodesToImprove& of, const ReadsRuns& read,
                                RunsToRead quick, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const std::vector<Batch> runs, read(StepOf(kRunsToTell, quick.available)));
  if (runs.empty()) return quick;
  PREON_ASSIGN_OR_RETURN(const double db, OutputsDb(quantized, of.reference.model, runs, context));
  if (db >= kHopelessDb) return quick;
  return RunsToRead{.step = StepOf(of.plan.positions ? kMostRuns : kMostRunsOfCoarseWeights, quick.available)};
}

// What an algorithm does to which model.
struct CodeFit {
  const Algorithm& algorithm;
  const FloatReference& reference;
  ReconstructionScope scope;
  RunsToRead to_read;
  ReadsRuns read;
};

// The last layers once more, each by itself, on more runs. @return  nullopt: the model stays as it was
Result<std::optional<Reconstruction>> FitLastLayers(Model& quantized, const CodeFit& fit, const RunContext& context) {
  ReconstructionScope scope = fit.scope;
  scope.only = fit.to_read.last_layers;
  scope.blocks = 0;
  scope.least_gain_db = 0;
  scope.enough_db.reset();
  PREON_ASSIGN_OR_RETURN(const std::vector<Batch> runs, fit.read(fit.to_read.step_of_last));
  if (runs.size() < fit.to_read.least_of_last) return std::optional<Reconstruction>();
  PREON_ASSIGN_OR_RETURN(Reconstruction last,
                         Reconstruct(quantized, fit.reference, runs, fit.algorithm.Rule(), scope, context));
  return last.is_kept ? std::optional(std::move(last)) : std::nullopt;
}

// @param result  gets the runs, and what the last layers gained
Result<Reconstruction> FitAllLayers(Model& quantized, const CodeFit& fit, const RunContext& context,
                                    ImprovedCodes& result) {
  PREON_ASSIGN_OR_RETURN(const std::vector<Batch> runs, fit.read(fit.to_read.step));
  if (runs.empty()) return Error(ErrorId::kDataEmpty, fit.algorithm.name(), ": no samples");
  PREON_ASSIGN_OR_RETURN(Reconstruction done,
                         Reconstruct(quantized, fit.reference, runs, fit.algorithm.Rule(), fit.scope, context));
  result.runs = done.runs;
  if (done.layers.empty() || !done.is_kept || fit.to_read.step_of_last == 0) return done;
  const auto last = FitLastLayers(quantized, fit, context);
  if (!last.ok() && last.status().id() == ErrorId::kCancelled) return last.status();
  if (!last.ok() || !last->has_value()) return done;  // more was not asked for
  result.runs_of_last_layers = (*last)->runs;
  result.last_layers_gain_db = (*last)->after_db - (*last)->before_db;
  for (const LayerOutcome& outcome : (*last)->layers) {
    const auto before = std::ranges::find(done.layers, outcome.node, &LayerOutcome::node);
    if (before != done.layers.end() && !outcome.stays) before->stays = false;
  }
  return done;
}

}  // namespace

Result<bool> WillImproveCodes(const CodesToImprove& of, const std::vector<const Algorithm*>& algorithms,
                              const Samples& samples) {
  for (const Algorithm* algorithm : algorithms) {
    if (algorithm->phase() != AlgorithmPhase::kWritten) continue;
    ReconstructionScope scope = algorithm->Scope();
    if (!scope.most_cost) return true;
    PREON_ASSIGN_OR_RETURN(const RunsToRead to_read, MakeQuick(of, samples, scope));
    if (to_read.why_none.empty()) return true;
  }
  return false;
}

Result<std::vector<ImprovedCodes>> ImproveCodes(Model& quantized, const CodesToImprove& of,
                                                const std::vector<const Algorithm*>& algorithms, const Samples& samples,
                                                const RunContext& context, std::vector<std::string>& warnings) {
  std::vector<ImprovedCodes> improved;
  for (const Algorithm* algorithm : algorithms) {
    if (algorithm->phase() != AlgorithmPhase::kWritten) continue;
    ReconstructionScope scope = algorithm->Scope();
    if (!scope.most_cost && (!samples.open || samples.made_up()))
      return Error(ErrorId::kMissingOption, "--algorithm ", algorithm->name(), ": needs --data SRC");
    ImprovedCodes& result = improved.emplace_back();
    result.algorithm = std::string(algorithm->name());
    const ReadsRuns read = [&](size_t step) {
      return ReadRuns(samples, of.reference.model.graph, scope.samples, scope.memory_bytes, step);
    };
    RunsToRead to_read;
    if (scope.most_cost) {
      PREON_ASSIGN_OR_RETURN(to_read, MakeQuick(of, samples, scope));
      if (to_read.too_dear && of.plan.NeedsBetterCodes()) {
        PREON_ASSIGN_OR_RETURN(to_read, MakeThorough(quantized, of, read, to_read, context));
      }
      result.why_not = to_read.why_none;
      if (!result.why_not.empty()) continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Result<Reconstruction> tried =
        FitAllLayers(quantized, {*algorithm, of.reference, scope, to_read, read}, context, result);
    if (!tried.ok() && scope.most_cost && tried.status().id() != ErrorId::kCancelled) {  // not asked for
      result.why_not = StrCat("it failed: ", tried.status().message());
      continue;
    }
    PREON_RETURN_IF_ERROR(tried.status());
    const Reconstruction& done = *tried;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.before_db = done.before_db;
    result.after_db = done.after_db;
    if (!done.is_judged) result.why_not = "the model has no float output by which new codes could be judged";
    if (done.is_near) result.why_not = StrCat("the outputs are as near to float as ", *scope.enough_db, " dB");
    if (!done.is_kept)
      result.why_not =
          done.layers.empty()
              ? "no layer has integer weights of its own: they are stored as floats, or shared by several nodes"
              : StrCat("less than ", kLeastGainDb, " dB was gained on the samples used for judging");
    for (const LayerOutcome& layer : done.layers)
      (layer.stays || !done.is_kept ? result.layers_kept : result.layers_changed) += 1;
    if (!done.left_out.empty())
      warnings.push_back(StrCat(algorithm->name(), ": cannot improve ", FirstNames(done.left_out, kMostListed),
                                ": the weight has several readers, the node has transA or alpha, or the float "
                                "model has no such layer"));
  }
  return improved;
}

}  // namespace preon
