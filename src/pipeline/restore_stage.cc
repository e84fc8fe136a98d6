#include "pipeline/restore_stage.h"

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "base/text.h"
#include "formats/int_format.h"
#include "pipeline/select_ranges.h"
#include "pipeline/write_plan.h"
#include "quantize/settings/layer_settings.h"

namespace preon {
namespace {

void WarnOfUnknown(const TensorRanges& saved, const std::string& path, const Graph& graph,
                   std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  for (const auto& [tensor, range] : saved) {
    if (!graph.HasTensor(tensor)) unknown.push_back(tensor);
  }
  if (unknown.empty()) return;
  warnings.push_back(StrCat(path, ": ", unknown.size(), " of its tensors are not in the rewritten model, for example '",
                            unknown.front(), "'"));
}

}  // namespace

std::string HashOfRangeOptions(const Options& options) {
  const PlanOptions& plan = options.plan;
  std::string text = StrCat(options.target.value_or(""), ' ', plan.activation.name(), ' ',
                            options.types.weight.value_or(plan.weight).name(), ' ', CompatName(plan.compat), ' ',
                            plan.scaled.activation, ' ', plan.settings.overrides.size() + plan.settings.layers.size(),
                            ' ', plan.activation_symmetric ? StrCat(*plan.activation_symmetric) : "default", ' ',
                            ScaleTypeName(plan.scale_type), ' ', plan.per_channel, ' ', options.ranges.method);
  for (const auto& [key, value] : options.ranges.method_options) text += '\n' + key + '=' + value;
  for (const std::string& key : options.given.op_list_settings) {
    const auto value = options.given.keys.find(key);
    text += '\n' + key + '=' + (value == options.given.keys.end() ? "" : value->second);
  }
  for (const auto* names : {&plan.exclude.names, &plan.exclude.types, &plan.passthrough}) {
    text += '\n';
    for (const std::string& name : *names) text += name + '\n';
  }
  for (const auto& [algorithm, asked] : options.algorithms.asked) {
    text += '\n' + algorithm;
    for (const auto& [option, value] : asked.values) text += ' ' + option + '=' + value;
  }
  for (const auto& [key, value] : options.algorithms.keys) text += '\n' + key + '=' + value;
  return Sha256Hex(text);
}

Result<std::optional<SavedRanges>> LoadSaved(const std::string& path, std::vector<std::string>& warnings) {
  if (path.empty()) return std::optional<SavedRanges>();
  if (!ToLower(path).ends_with(".json"))
    warnings.push_back(StrCat("--save-and-restore: '", path, "' is written as JSON despite its name"));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<SavedRanges>();
  PREON_ASSIGN_OR_RETURN(SavedRanges saved, LoadSavedRanges(path));
  return std::optional(std::move(saved));
}

Status ApplySaved(const SavedRanges* saved, const std::string& path, const std::string& config_hash,
                  const Target& target, PlanOptions plan, PreparedModel& prepared) {
  if (saved == nullptr) return Status::Ok();
  if ((HasLearned(prepared.rewritten_by) || HasLearned(saved->rewritten_by)) &&
      saved->rewritten_by != prepared.rewritten_by)
    return Error(ErrorId::kCalibFileMismatch, path, ": ranges of a model rewritten by '", saved->rewritten_by,
                 "', wanted '", prepared.rewritten_by, "'")
        .WithHint(
            "an algorithm learns from --data here: the same samples and options give a model that the ranges fit");
  if (!saved->left_float.empty()) {
    plan.left_float = saved->left_float;
    PREON_ASSIGN_OR_RETURN(prepared.plan, PlanWithLayerSettings(target, prepared.model, plan));
    prepared.left_float = std::move(plan.left_float);
  }
  if (saved->IsOfAnother(prepared.model.fingerprint))
    prepared.warnings.push_back(
        StrCat(path, ": made from another model; its ranges may not fit this one, and the file stays as it is"));
  if (!saved->config_hash.empty() && saved->config_hash != config_hash)
    prepared.warnings.push_back(StrCat(path, ": made with other options; its ranges are used unchanged"));
  WarnOfUnknown(saved->ranges, path, prepared.model.graph, prepared.warnings);
  return Status::Ok();
}

std::vector<std::string> MissingRanges(const QuantPlan& plan, const SavedRanges* saved) {
  std::vector<std::string> tensors = plan.RangeTensors();
  if (saved != nullptr) std::erase_if(tensors, [&](const auto& name) { return saved->ranges.contains(name); });
  return tensors;
}

Result<AtomicFile> StageSaved(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                              const std::string& config_hash, const std::string& path, const RunContext& context) {
  const Graph& graph = prepared.model.graph;
  SavedRanges saved{.statistics = CollectedFor(graph, prepared.plan, inputs.data, inputs.saved, inputs.algorithms),
                    .left_float = prepared.left_float,
                    .model_fingerprint = prepared.model.fingerprint,
                    .config_hash = config_hash,
                    .method = std::string(method.name()),
                    .rewritten_by = prepared.rewritten_by,
                    .samples = inputs.data.sample_count()};
  PREON_ASSIGN_OR_RETURN(saved.ranges, SelectRanges(PlanRanges(graph, prepared.plan), method, inputs, context));
  return StageRanges(saved, path);
}

}  // namespace preon
