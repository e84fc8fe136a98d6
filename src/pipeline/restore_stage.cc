#include "pipeline/restore_stage.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "formats/int_format.h"
#include "pipeline/select_ranges.h"
#include "quantize/plan/plan_options.h"
#include "quantize/settings/layer_settings.h"

namespace preon {
namespace {

// Of the options that ranges depend on.
std::string ConfigHash(const Options& options) {
  const PlanOptions& plan = options.plan;
  std::string text = StrCat(options.target.value_or(""), ' ', plan.activation.name(), ' ',
                            options.types.weight.value_or(plan.weight).name(), ' ',

                            plan.activation_symmetric ? StrCat(*plan.activation_symmetric) : "default", ' ',
                            ScaleTypeName(plan.scale_type), ' ', plan.per_channel, ' ', options.ranges.method);
  for (const auto& [key, value] : options.ranges.method_options) text += '\n' + key + '=' + value;
  for (const auto* names : {&plan.exclude, &plan.exclude_types, &plan.passthrough}) {
    text += '\n';
    for (const std::string& name : *names) text += name + '\n';
  }
  return Sha256Hex(text);
}

void WarnOfUnknown(const Job& job, PreparedModel& prepared) {
  std::vector<std::string> unknown;
  for (const auto& [tensor, range] : job.saved->statistics.ranges) {
    if (!prepared.model.graph.HasTensor(tensor)) unknown.push_back(tensor);
  }
  if (unknown.empty()) return;
  prepared.warnings.push_back(StrCat(job.options.statistics.save_and_restore, ": ", unknown.size(),
                                     " of its tensors are not in the rewritten model, for example '", unknown.front(),
                                     "'"));
}

}  // namespace

Status LoadSaved(Job& job) {
  const std::string& path = job.options.statistics.save_and_restore;
  if (path.empty()) return Status::Ok();
  if (!ToLower(path).ends_with(".json"))
    job.choices.warnings.push_back(StrCat("--save-and-restore: '", path, "' holds JSON, whatever its ending"));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(job.saved, LoadSavedRanges(path));
  return Status::Ok();
}

Status ApplySaved(const Job& job, PreparedModel& prepared) {
  if (!job.saved) return Status::Ok();
  const std::string& path = job.options.statistics.save_and_restore;
  if (!job.saved->left_float.empty()) {
    PlanOptions options = job.choices.plan;
    options.left_float = job.saved->left_float;
    PREON_ASSIGN_OR_RETURN(prepared.plan, PlanWithLayerSettings(*job.choices.target, prepared.model, options));
    prepared.left_float = std::move(options.left_float);
  }
  const std::string& fingerprint = job.saved->model_fingerprint;
  if (!fingerprint.empty() && fingerprint != prepared.model.fingerprint)
    prepared.warnings.push_back(StrCat(path, ": made from another model: its ranges may not be this one's"));
  if (!job.saved->config_hash.empty() && job.saved->config_hash != ConfigHash(job.options))
    prepared.warnings.push_back(StrCat(path, ": made with other options: its ranges are taken as they are"));
  WarnOfUnknown(job, prepared);
  return Status::Ok();
}

std::vector<std::string> MissingRanges(const PreparedModel& prepared, const Job& job) {
  std::vector<std::string> tensors = prepared.plan.RangeTensors();
  if (job.saved) std::erase_if(tensors, [&](const auto& name) { return job.saved->statistics.ranges.contains(name); });
  return tensors;
}

Status WriteSaved(const PreparedModel& prepared, const CalibrationData& data, const QuantizeResult& result,
                  const Job& job) {
  SavedRanges saved{.left_float = prepared.left_float,
                    .model_fingerprint = prepared.model.fingerprint,
                    .config_hash = ConfigHash(job.options),
                    .method = std::string(job.choices.method->name()),
                    .samples = result.samples};
  PREON_ASSIGN_OR_RETURN(saved.statistics, StatisticsOf(prepared, data, *job.choices.method, job));
  return SaveRanges(saved, job.options.statistics.save_and_restore);
}

}  // namespace preon
