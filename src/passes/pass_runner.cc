#include <chrono>

#include "ir/model_io.h"
#include "passes/pass.h"

namespace preon {
namespace {

// Real exports settle in two to four rounds; the bound only guards against two passes that undo each other.
constexpr int kMaxRounds = 10;

// What holds after every pass (spec graph-passes §0.3).
Status Tidy(Graph& graph) {
  graph.RemoveUnusedInitializers();
  PREON_RETURN_IF_ERROR(graph.SortTopologically());
  return graph.CheckIntegrity();
}

// One transaction: `model` is the pass's result, or what it was before.
Result<Effect> RunOne(Model& model, const Pass& pass, const PassEnv& env, const PassRunnerOptions& options,
                      double* seconds) {
  Model before = model;
  const auto start = std::chrono::steady_clock::now();
  Result<Effect> effect = pass.Apply(model, env);
  *seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Status status = effect.ok() ? Status::Ok() : effect.status();
  const bool changed = effect.ok() && *effect == Effect::kChanged;
  if (changed) {
    status = Tidy(model.graph);
    if (status.ok() && options.verify) status = options.verify(before, model);
  }
  if (!changed || !status.ok()) model = std::move(before);
  if (!status.ok()) return status;
  return effect;
}

}  // namespace

std::vector<PassRecord> RunPasses(Model& model, const PassRegistry& passes, const PassEnv& env,
                                  const PassRunnerOptions& options) {
  struct Entry {
    const Pass* pass;
    PassRecord record;
  };
  std::vector<Entry> entries;
  for (const auto& pass : passes.entries()) {
    const std::string name(pass->name());
    const bool wanted = pass->on_by_default() || options.enabled.contains(name);
    if (wanted && !options.disabled.contains(name)) entries.push_back({pass.get(), {.name = name}});
  }

  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    InferShapes(model);
    for (Entry& entry : entries) {
      PassRecord& record = entry.record;
      if (!record.problem.empty()) continue;
      Result<Effect> effect = RunOne(model, *entry.pass, env, options, &record.seconds);
      if (!effect.ok()) {
        record.problem =
            Error(ErrorId::kPassFailed, record.name, ": ", effect.status().message(), "; taken back").ToString();
        if (env.context != nullptr) env.context->Log(LogLevel::kWarning, record.problem);
      } else if (*effect == Effect::kChanged) {
        record.effect = Effect::kChanged;
        changed = true;
      }
    }
  }

  std::vector<PassRecord> records;
  for (Entry& entry : entries) records.push_back(std::move(entry.record));
  return records;
}

}  // namespace preon
