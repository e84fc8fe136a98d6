#include <algorithm>

#include "api/run_pass_list.h"
#include "api/verbs.h"
#include "base/file.h"
#include "base/spelling.h"
#include "base/text.h"
#include "config/pass_steps.h"
#include "eval/open_model.h"
#include "ir/model_io.h"
#include "passes/infer_all_shapes.h"
#include "pipeline/float_algorithms.h"
#include "pipeline/output.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "runtime/runtime_evaluator.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Is it a list of AMD Quark's, rather than a file of names?
bool IsPassList(const std::string& list) {
  const std::string lower = ToLower(list);
  const size_t dot = lower.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : lower.substr(dot);
  return lower.find('{') != std::string::npos || ending.empty() || ending == ".yaml" || ending == ".yml" ||
         ending == ".json";
}

// One name per line; what follows a # is a comment.
Result<std::vector<std::string>> ReadPassNames(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line = line.substr(0, line.find('#'));
    const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first != std::string::npos) names.push_back(line.substr(first, last - first + 1));
    begin = end + 1;
  }
  return names;
}

// The registry's names. Errors: kUnknownOption.
Result<std::set<std::string>> ChosenPasses(const PassesOptions& options, const Builtins& builtins) {
  std::vector<std::string> given = options.names;
  if (!options.list.empty() && !IsPassList(options.list)) {
    PREON_ASSIGN_OR_RETURN(const std::vector<std::string> listed, ReadPassNames(options.list));
    given.insert(given.end(), listed.begin(), listed.end());
  }
  std::set<std::string> names;
  for (const std::string& name : given) {
    PREON_ASSIGN_OR_RETURN(std::string known, PassName(builtins, name));
    names.insert(std::move(known));
  }
  return names;
}

// Those that were asked for by name and rewrite float models; the others need a plan.
std::vector<const Algorithm*> AskedAlgorithms(const AlgorithmOptions& options,
                                              const std::vector<const Algorithm*>& chosen) {
  std::vector<const Algorithm*> asked;
  for (const Algorithm* algorithm : chosen) {
    if (options.asked.contains(std::string(algorithm->name())) && algorithm->phase() == AlgorithmPhase::kFloatModel)
      asked.push_back(algorithm);
  }
  return asked;
}

Result<NodeFilter> EveryNode(const Model&) {
  return NodeFilter([](const Node&) { return true; });
}

Result<std::optional<CollectedStatistics>> NoSamples(const Model&, const StatisticsRequest&) {
  return std::optional<CollectedStatistics>();
}

// What the runtime could open before, it has to open behind the passes.
Status CheckStillLoads(const Model& model, const std::string& source, const std::string& output,
                       const RunContext& context) {
  if (HasLargeWeights(model.graph)) return Status::Ok();
  const SessionOptions how{.threads = context.ThreadCount()};
  const Status opened = Session::OpenModel(model, how, context).status();
  if (opened.ok() || opened.id() == ErrorId::kCancelled) return opened;
  if (!OpenSession(source, how, context).ok()) return Status::Ok();
  return Error(ErrorId::kVerifyLoad, output,
               ": not written: the runtime can't load the result of the passes: ", opened.message());
}

}  // namespace

Result<PassesResult> PassesVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("passes", options, {path}));
  PREON_ASSIGN_OR_RETURN(std::set<std::string> chosen, ChosenPasses(options.passes, run.builtins));
  const std::vector<const Algorithm*> algorithms = AskedAlgorithms(options.algorithms, run.choices.algorithms.list);
  PassesResult result{.output = options.outputs.file};
  std::vector<ListedStep> steps;
  const bool listed_steps = !options.passes.list.empty() && IsPassList(options.passes.list);
  if (listed_steps) {
    PREON_ASSIGN_OR_RETURN(steps, ReadPassList(options.passes.list, result.warnings));
  }
  if (chosen.empty() && algorithms.empty() && !listed_steps)
    return Error(ErrorId::kMissingOption, "passes: got no pass, wanted --pass, --list or --algorithm")
        .WithHint("--pass help and --algorithm help list them");
  for (const Algorithm* algorithm : algorithms) {
    for (const std::string_view pass : algorithm->SourcePasses()) chosen.emplace(pass);
  }
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Model model, LoadModel(path));
  PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, model.external_files));
  if (!algorithms.empty()) {
    RuntimeEvaluator evaluator(run.context);
    InferAllShapes(model, &evaluator);
  }
  result.nodes_before = static_cast<int64_t>(model.graph.nodes().size());
  PREON_RETURN_IF_ERROR(CheckOptionNames(model.graph, algorithms, result.warnings));
  run.context.BeginStage("passes");
  PREON_ASSIGN_OR_RETURN(ListedEffects listed, RunPassList(model, steps, run.builtins, run.context));
  result.passes = std::move(listed.steps);
  result.warnings.insert(result.warnings.end(), listed.warnings.begin(), listed.warnings.end());
  const PassEnv env{.fixed_shapes = options.prepare.fixed_shapes, .copied_types = options.passes.copied_types};
  std::vector<PassRecord> records;
  if (!chosen.empty()) records = RunFloatPassesByName(model, chosen, env, run.builtins, run.context);
  PREON_RETURN_IF_ERROR(
      RewriteFloatModel(model, algorithms,
                        {.quantized = EveryNode, .collect = NoSamples, .plan = options.plan, .run = run.context},
                        &result.warnings)
          .status());
  PREON_ASSIGN_OR_RETURN(const std::vector<PassRecord> behind, RunNamedQdqPasses(model, chosen, result.warnings));
  records.insert(records.end(), behind.begin(), behind.end());
  for (const PassRecord& record : records) {
    if (!record.cause.ok()) return Status(record.cause).WithContext("pass ", record.name);
    result.passes.emplace_back(record.name, record.effect == Effect::kChanged);
  }
  result.nodes_after = static_cast<int64_t>(model.graph.nodes().size());
  run.context.BeginStage("verify");
  PREON_RETURN_IF_ERROR(CheckStillLoads(model, path, options.outputs.file, run.context));
  run.context.BeginStage("write");
  PREON_RETURN_IF_ERROR(SaveModel(model, options.outputs.file,
                                  {.external_data = options.write.external_data, .inputs = model.external_files}));
  result.facts = RunFactsOf(run.context, "passes");
  return result;
}

}  // namespace preon
