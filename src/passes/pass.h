// Pass: one rewrite of the float graph. One file each; the runner names, times, disables and checks them.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "base/registry.h"
#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// Evaluates nodes on constants; runtime/ implements it, api/ passes it in.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Outputs of one node whose inputs are all given. Errors: what the runtime says.
  virtual Result<std::vector<Tensor>> Evaluate(const Model& context, const Node& node, const std::vector<NamedTensor>& inputs) = 0;
};

struct PassEnv {
  Evaluator* evaluator = nullptr;
  const RunContext* context = nullptr;
};

enum class Effect { kUnchanged, kChanged };

/// Rewrites a model. A pass that returns an error or kUnchanged has left the model as it was (the runner enforces it).
class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  virtual Result<Effect> Apply(Model& model, const PassEnv& env) const = 0;
};

using PassRegistry = Registry<Pass>;

struct PassRecord {
  std::string name;
  Effect effect = Effect::kUnchanged;
  double seconds = 0;
  std::string problem;    ///< why it was taken back; empty = fine
};

struct PassRunnerOptions {
  std::set<std::string> disabled;
  /// Called after each pass that changed the model; an error takes the pass back (kPassFailed in its record).
  std::function<Status(const Model& before, const Model& after)> verify;
};

/// Runs the passes in registry order until nothing changes (bounded). Never fatal: a failing pass is taken back and recorded.
std::vector<PassRecord> RunPasses(Model& model, const PassRegistry& passes, const PassEnv& env, const PassRunnerOptions& options);

}  // namespace preon
