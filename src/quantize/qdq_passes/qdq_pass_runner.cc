#include <chrono>

#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

Status Verified(const QdqPassOptions& options, Model before, Model after) {
  for (Model* model : {&before, &after}) PREON_RETURN_IF_ERROR(model->graph.SortTopologically());
  return options.verify(before, after);
}

// One transaction. The order of nodes is left as it is: names that passes give count readers in that order.
Result<Effect> RunOne(Model& model, const QdqPass& pass, const QuantPlan& plan, const QdqPassOptions& options,
                      std::vector<std::string>& warnings) {
  Model before = model;
  std::vector<std::string> told;
  Result<Effect> effect = pass.Apply(model, plan, told);
  Status status = effect.ok() ? Status::Ok() : effect.status();
  const bool changed = effect.ok() && *effect == Effect::kChanged;
  if (changed && options.verify && !pass.changes_results()) status = Verified(options, before, model);
  if (!changed || !status.ok()) model = std::move(before);
  if (!status.ok()) return status;
  warnings.insert(warnings.end(), told.begin(), told.end());
  return effect;
}

}  // namespace

Result<std::vector<PassRecord>> RunQdqPasses(Model& model, const QuantPlan& plan, const QdqPassOptions& options,
                                             std::vector<std::string>& warnings) {
  const QdqPassRegistry passes = MakeQdqPasses();
  std::vector<PassRecord> records;
  for (const auto& pass : passes.entries()) {
    const std::string name(pass->name());
    if (options.disabled.contains(name) || !(pass->WantedBy(plan) || options.enabled.contains(name))) continue;
    PassRecord& record = records.emplace_back(PassRecord{.name = name});
    const auto start = std::chrono::steady_clock::now();
    const Result<Effect> effect = RunOne(model, *pass, plan, options, warnings);
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (effect.ok()) {
      record.effect = *effect;
      continue;
    }
    record.cause = effect.status();
    record.problem = Error(ErrorId::kPassFailed, name, ": ", record.cause.message(), "; undone").ToString();
  }
  model.graph.RemoveUnusedInitializers();
  PREON_RETURN_IF_ERROR(model.graph.SortTopologically());
  PREON_RETURN_IF_ERROR(model.graph.CheckIntegrity());
  return records;
}

Result<std::vector<PassRecord>> RunNamedQdqPasses(Model& model, const std::set<std::string>& names,
                                                  std::vector<std::string>& warnings,
                                                  const PassParameters& parameters) {
  QdqPassOptions options{.enabled = names};
  const QdqPassRegistry passes = MakeQdqPasses();
  for (const auto& pass : passes.entries()) {
    if (!names.contains(std::string(pass->name()))) options.disabled.insert(std::string(pass->name()));
  }
  return RunQdqPasses(model, {.parameters = parameters}, options, warnings);
}

Result<std::vector<std::string>> ChangedByQdqPasses(Model& model, const std::set<std::string>& names,
                                                    std::vector<std::string>& warnings) {
  PREON_ASSIGN_OR_RETURN(const std::vector<PassRecord> records, RunNamedQdqPasses(model, names, warnings));
  std::vector<std::string> changed;
  for (const PassRecord& record : records) {
    if (!record.cause.ok()) return Status(record.cause).WithContext("pass ", record.name);
    if (record.effect == Effect::kChanged) changed.push_back(record.name);
  }
  return changed;
}

}  // namespace preon
