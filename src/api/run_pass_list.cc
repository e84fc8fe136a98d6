#include "api/run_pass_list.h"

#include <algorithm>

#include "config/pass_steps.h"
#include "ir/model_io.h"
#include "passes/convert_float16.h"
#include "passes/convert_float16_parts.h"
#include "pipeline/float_algorithms.h"
#include "quantize/settings/layer_selection.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

class ListRunner {
 public:
  ListRunner(Model& model, const Builtins& builtins, const RunContext& context, std::vector<std::string>& warnings)
      : model_(model), builtins_(builtins), context_(context), warnings_(warnings) {}

  Result<bool> Run(const ListedStep& step) {
    const std::string_view name = step.pass->name;
    if (!step.is_on()) return false;
    if (name == "convert_opset_version") return Raise(step);
    if (name == "cross_layer_equalization") return Equalize(step);
    if (name == "convert_fp16_to_fp32") return ToFloat32(step);
    return RunPasses(step);
  }

 private:
  Result<bool> Raise(const ListedStep& step) {
    const auto wanted = step["target_opset_version"].get<int64_t>();
    if (model_.opset() > wanted)
      warnings_.push_back(
          StrCat("convert_opset_version: the model already has opset ", model_.opset(), " and keeps it"));
    if (model_.opset() >= wanted) return false;
    PREON_RETURN_IF_ERROR(ConvertOpset(model_, wanted));
    return true;
  }

  Result<bool> ToFloat32(const ListedStep& step) {
    PREON_ASSIGN_OR_RETURN(const std::vector<Float16Part> parts, Float16PartsOf(step));
    InferShapes(model_);
    PREON_ASSIGN_OR_RETURN(const Effect effect, parts.empty() ? ConvertFloat16(model_, Float16Border::kFloat32)
                                                              : ConvertFloat16Parts(model_, parts, warnings_));
    return effect == Effect::kChanged;
  }

  Result<bool> Equalize(const ListedStep& step) {
    AlgorithmOptions options;
    PREON_RETURN_IF_ERROR(AskForCle(options, step));
    PREON_ASSIGN_OR_RETURN(const Algorithm* cle, builtins_.algorithms.Find("cle"));
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<Algorithm> configured,
                           cle->Configured(AlgorithmValues(cle->options(), options.asked.at("cle").values)));
    PREON_RETURN_IF_ERROR(CheckOptionNames(model_.graph, {configured.get()}, warnings_));
    const FloatRewriteContext how{
        .quantized = [](const Model&) -> Result<NodeFilter> { return NodeFilter([](const Node&) { return true; }); },
        .collect = [](const Model&, const StatisticsRequest&) -> Result<std::optional<CollectedStatistics>> {
          return std::optional<CollectedStatistics>();
        },
        .run = context_};
    InferShapes(model_);
    const std::vector<std::string_view> source = configured->SourcePasses();
    bool changed = false;
    if (!source.empty()) {
      PREON_ASSIGN_OR_RETURN(
          changed, AnyChanged(RunFloatPassesByName(model_, {source.begin(), source.end()}, {}, builtins_, context_)));
    }
    const Model before = model_;
    PREON_RETURN_IF_ERROR(RewriteFloatModel(model_, {configured.get()}, how, &warnings_).status());
    return changed || !SameConstants(before.graph, model_.graph);
  }

  static bool SameConstants(const Graph& a, const Graph& b) {
    return std::ranges::equal(a.initializers(), b.initializers(), [](const auto& one, const auto& other) {
      return one.first == other.first && std::ranges::equal(one.second.bytes(), other.second.bytes());
    });
  }

  Result<bool> RunPasses(const ListedStep& step) {
    const std::string_view name = step.pass->name;
    PassEnv env;
    if (name == "copy_shared_init" || name == "copy_bias_init") {
      env.copied_types = step[step.pass->parameters.front().name].get<std::vector<std::string>>();
      env.copies_biases_alone = name == "copy_bias_init";
      WarnOfUnknownOperators(model_.graph, {{step.pass->key, env.copied_types}}, &warnings_);
      if (env.copied_types.empty()) return false;  // as a pass of a list; the key CopySharedInit takes it as all types
    }
    if (name == "fix_shapes") {
      PREON_ASSIGN_OR_RETURN(env.fixed_shapes, ShapesOf(step));
    }
    PREON_ASSIGN_OR_RETURN(env.attributes, AttributesOf(step));
    PREON_ASSIGN_OR_RETURN(const PassParameters parameters, ParametersOf(step));
    const std::vector<std::string> listed = PassesOf(step);
    const std::set<std::string> names(listed.begin(), listed.end());
    PREON_ASSIGN_OR_RETURN(const bool in_float,
                           AnyChanged(RunFloatPassesByName(model_, names, env, builtins_, context_)));
    PREON_ASSIGN_OR_RETURN(std::vector<PassRecord> behind, RunNamedQdqPasses(model_, names, warnings_, parameters));
    PREON_ASSIGN_OR_RETURN(const bool in_quantized, AnyChanged(behind));
    return in_float || in_quantized;
  }

  static Result<bool> AnyChanged(const std::vector<PassRecord>& records) {
    for (const PassRecord& record : records) PREON_RETURN_IF_ERROR(record.cause);
    return std::ranges::any_of(records, [](const PassRecord& record) { return record.effect == Effect::kChanged; });
  }

  Model& model_;
  const Builtins& builtins_;
  const RunContext& context_;
  std::vector<std::string>& warnings_;
};

}  // namespace

std::vector<PassRecord> RunFloatPassesByName(Model& model, const std::set<std::string>& names, PassEnv env,
                                             const Builtins& builtins, const RunContext& context) {
  RuntimeEvaluator evaluator(context);
  env.evaluator = &evaluator;
  env.context = &context;
  PassRunnerOptions runner{.enabled = names};
  for (const auto& pass : builtins.passes.entries()) {
    if (!names.contains(std::string(pass->name()))) runner.disabled.insert(std::string(pass->name()));
  }
  return RunPasses(model, builtins.passes, env, runner);
}

Result<ListedEffects> RunPassList(Model& model, const std::vector<ListedStep>& steps, const Builtins& builtins,
                                  const RunContext& context) {
  ListedEffects effects;
  ListRunner runner(model, builtins, context, effects.warnings);
  for (const ListedStep& step : steps) {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    const std::string name = StrCat("onnx_", step.pass->name);
    Result<bool> changed = runner.Run(step);
    if (!changed.ok()) return std::move(changed).status().WithContext(name);
    effects.steps.emplace_back(name, *changed);
  }
  return effects;
}

}  // namespace preon
