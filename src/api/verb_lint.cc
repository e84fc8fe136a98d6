#include <optional>
#include <set>

#include "api/model_metadata.h"
#include "api/rewritten_model.h"
#include "api/verbs.h"
#include "base/text.h"
#include "eval/fusion_report.h"
#include "eval/latency.h"
#include "eval/open_model.h"
#include "ir/model_io.h"
#include "lint/lint.h"
#include "passes/infer_all_shapes.h"
#include "pipeline/output.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

constexpr int kMostRounds = 8;

struct Linted {
  Session session;
  LintReport report;
};

Result<Linted> LintModel(Model& model, const RunContext& context) {
  RuntimeEvaluator evaluator(context);
  InferAllShapes(model, &evaluator);
  PREON_ASSIGN_OR_RETURN(OpenedModel opened, OpenModel(model, TimedSession(context), context));
  if (!opened.optimized)
    return Error(ErrorId::kRuntimeLoad, model.source_path,
                 ": can't tell which kernels run, because ONNX Runtime can't write the graph that it optimized");
  return Linted{std::move(opened.session),
                Lint(model.graph, ObserveKernels(model.graph, opened.optimized->graph), LeftInFloat(model))};
}

std::set<std::string> PassesOf(const LintReport& report) {
  std::set<std::string> passes;
  for (const LintFinding& finding : report.findings) {
    if (!finding.pass.empty()) passes.insert(finding.pass);
  }
  return passes;
}

Status FixModel(Model model, Linted& before, RunInputs& run, LintResult& result) {
  const RunContext& context = run.context;
  context.BeginStage("fix");
  LintFix& fix = result.fix.emplace();
  std::optional<Linted> after;
  for (int round = 0; round < kMostRounds; ++round) {  // a node has one finding at a time
    const LintReport& report = after ? after->report : before.report;
    PREON_ASSIGN_OR_RETURN(const std::vector<std::string> changed,
                           ChangedByQdqPasses(model, PassesOf(report), result.warnings));
    if (changed.empty()) break;
    for (const std::string& pass : changed)
      if (!Contains(fix.passes, pass)) fix.passes.push_back(pass);
    PREON_ASSIGN_OR_RETURN(after, LintModel(model, context));
  }
  if (!after)
    return Error(ErrorId::kNothingToGain, model.source_path,
                 ": nothing to fix, not written: no finding can be fixed with the same results")
        .WithHint("preon lint without --fix lists the findings");
  fix.output = run.options.outputs.file;
  fix.report = std::move(after->report);
  PREON_ASSIGN_OR_RETURN(const RewriteSamples samples, SamplesFor(before.session, model, run));
  PREON_ASSIGN_OR_RETURN(
      fix.figures, CompareRewritten(before.session, after->session, samples, run.options.latency_seconds, context));
  context.BeginStage("write");
  return SaveModel(model, fix.output,
                   {.external_data = run.options.write.external_data, .inputs = model.external_files});
}

}  // namespace

Result<LintResult> LintVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  if (options.fix)
    PREON_RETURN_IF_ERROR(CheckOutputs("lint --fix", options, {path}));
  else if (!options.outputs.file.empty())
    return Error(ErrorId::kMissingOption, "lint: got -o without --fix; wanted both, or neither to see the findings");
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Model model, LoadModel(path));
  PREON_RETURN_IF_ERROR(CheckQuantized(model));
  PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, model.external_files));
  run.context.BeginStage("lint");
  PREON_ASSIGN_OR_RETURN(Linted linted, LintModel(model, run.context));
  LintResult result{.model = path};
  if (options.fix) PREON_RETURN_IF_ERROR(FixModel(std::move(model), linted, run, result));
  result.report = std::move(linted.report);
  result.facts = RunFactsOf(run.context, "lint");
  return result;
}

}  // namespace preon
