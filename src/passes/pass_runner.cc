#include <chrono>
#include <optional>

#include "ir/same_graph.h"
#include "ir/sub_graphs.h"
#include "passes/infer_all_shapes.h"
#include "passes/pass.h"
#include "passes/support/model_bytes.h"

namespace preon {
namespace {

// Real exports settle in two to four rounds; the bound only guards against two passes that undo each other.
constexpr int kMaxRounds = 10;

struct Entry {
  const Pass* pass;
  PassRecord record;
};

std::vector<Entry> ChosenPasses(const PassRegistry& passes, const PassRunnerOptions& options) {
  std::vector<Entry> entries;
  for (const auto& pass : passes.entries()) {
    const std::string name(pass->name());
    const bool wanted = pass->on_by_default() || options.enabled.contains(name);
    if (wanted && !options.disabled.contains(name)) entries.push_back({pass.get(), {.name = name}});
  }
  return entries;
}

// What holds after every pass (docs/design/passes.md).
Status Tidy(Graph& graph) {
  graph.RemoveUnusedInitializers();
  PREON_RETURN_IF_ERROR(graph.SortTopologically());
  return graph.CheckIntegrity();
}

Status RewriteBodies(Model& model, const std::vector<Entry>& entries, const PassEnv& env) {
  return EditSubGraphs(model, [&](Model& body) -> Status {
    for (const Entry& entry : entries) {
      if (!entry.pass->works_in_bodies()) continue;
      PREON_RETURN_IF_ERROR(entry.pass->Apply(body, env).status());
      body.graph.RemoveUnusedInitializers();
    }
    PREON_RETURN_IF_ERROR(body.graph.CheckIntegrity());
    return RewriteBodies(body, entries, env);
  });
}

class Runner {
 public:
  Runner(Model& model, const PassEnv& env, const PassRunnerOptions& options)
      : model_(model), env_(env), options_(options) {
    env_.source_bytes = ModelBytes(model.graph);
  }

  // One transaction: the model is what `rewrite` made of it, or what it was before.
  template <typename Rewrite>
  Effect Try(PassRecord& record, const Rewrite& rewrite) {
    if (!before_) before_ = model_;
    const auto start = std::chrono::steady_clock::now();
    const Result<Effect> effect = rewrite();
    record.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.cause = effect.ok() ? Status::Ok() : effect.status();
    const bool changed = effect.ok() && *effect == Effect::kChanged;
    if (changed) {
      record.cause = Tidy(model_.graph);
      if (record.cause.ok() && options_.verify) record.cause = options_.verify(*before_, model_);
    }
    if (changed && record.cause.ok()) {
      record.effect = Effect::kChanged;
      before_.reset();
      return Effect::kChanged;
    }
    if (model_.opsets != before_->opsets || !SameGraph(model_.graph, before_->graph)) model_ = *before_;
    if (!record.cause.ok()) {
      record.problem = Error(ErrorId::kPassFailed, record.name, ": ", record.cause.message(), "; undone").ToString();
      if (env_.context != nullptr) env_.context->Log(LogLevel::kWarning, record.problem);
    }
    return Effect::kUnchanged;
  }

  // The passes of one phase, each once. True when one changed the model.
  bool RunOnce(std::vector<Entry>& entries, PassPhase phase) {
    bool changed = false;
    before_.reset();  // without the shapes that may have been inferred since
    for (Entry& entry : entries) {
      if (entry.pass->phase() != phase || !entry.record.problem.empty()) continue;
      const size_t nodes_before = model_.graph.nodes().size();
      if (Try(entry.record, [&] { return entry.pass->Apply(model_, env_); }) == Effect::kUnchanged) continue;
      changed = true;
      if (env_.context != nullptr)
        env_.context->Debug("pass ", entry.record.name, ": ", nodes_before, " -> ", model_.graph.nodes().size(),
                            " nodes");
    }
    return changed;
  }

 private:
  Model& model_;
  PassEnv env_;
  const PassRunnerOptions& options_;
  /// A copy of the model, which serves until a pass has changed it: copying a large graph takes longer than most
  /// passes.
  std::optional<Model> before_;
};

}  // namespace

std::vector<PassRecord> RunPasses(Model& model, const PassRegistry& passes, const PassEnv& env,
                                  const PassRunnerOptions& options) {
  std::vector<Entry> entries = ChosenPasses(passes, options);
  Runner runner(model, env, options);
  runner.RunOnce(entries, PassPhase::kSource);
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    InferAllShapes(model, env.evaluator);
    changed = runner.RunOnce(entries, PassPhase::kRounds);
  }
  runner.RunOnce(entries, PassPhase::kLast);

  std::vector<PassRecord> records;
  for (Entry& entry : entries) records.push_back(std::move(entry.record));
  if (options.bodies) {
    PassRecord record{.name = "bodies of Loop and Scan"};
    runner.Try(record, [&]() -> Result<Effect> {
      PREON_RETURN_IF_ERROR(RewriteBodies(model, entries, env));
      return Effect::kChanged;
    });
    if (!record.problem.empty()) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace preon
