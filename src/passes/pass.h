// Pass: one rewrite of the float graph. One file each; the runner names, times, disables and checks them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "base/registry.h"
#include "base/status.h"
#include "ir/evaluator.h"
#include "ir/graph.h"
#include "passes/support/arithmetic.h"
#include "passes/support/node_settings.h"

namespace preon {

/// Another value for an attribute that a node has.
struct AttributeUpdate {
  std::string node, attribute;
  AttributeValue value;
};

/// What passes may use beside the model. Each may be null: constants are then folded natively only, nothing is
/// logged, all nodes are alike to the user.
struct PassEnv {
  Evaluator* evaluator = nullptr;
  const RunContext* context = nullptr;
  NodeSettings settings_of = nullptr;
  /// Did the user exclude the node from quantization? Empty: no node.
  std::function<bool(const Node& node)> excluded = nullptr;
  /// Does the pass of this name leave the node as it is, though it could rewrite it? Empty: no node. NodePass asks.
  std::function<bool(std::string_view pass, const Model& model, const Node& node)> leaves = nullptr;
  Arithmetic arithmetic = {};  ///< of BatchNormalization's factors
  bool contrib_gelu = false;   ///< fuse_gelu writes com.microsoft's operator though the standard has one
  /// Of fix_shapes: what the model's inputs and outputs get.
  std::map<std::string, Shape> fixed_shapes = {};
  /// Of copy_shared_initializers: operator types whose constants are copied; none = all.
  std::vector<std::string> copied_types = {};
  bool copies_biases_alone = false;  ///< input 2 of these
  /// Of set_attributes.
  std::vector<AttributeUpdate> attributes = {};
  /// Size of the model as the runner was given it (ModelBytes), which it fills in; 0: passes may let the model grow.
  int64_t source_bytes = 0;
};

enum class Effect { kUnchanged, kChanged };

/// When a pass runs.
enum class PassPhase {
  /// Once, before all others, which are compared with the model that it leaves. `quantize` calls these one by one, with
  /// the options that they take, in ModelPreparation::Load.
  kSource,
  kRounds,  ///< with the others of the rounds, until nothing changes
  kLast,    ///< once, after the rounds, whose passes would fold or merge what it writes
};

/// Rewrites a model. A pass that returns an error or kUnchanged has left the model as it was (the runner enforces it).
class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// False: only targets that ask for it, or the user, have it.
  virtual bool on_by_default() const { return true; }
  virtual PassPhase phase() const { return PassPhase::kRounds; }
  /// True: it also rewrites bodies of Loop and Scan where PassRunnerOptions::bodies is set.
  virtual bool works_in_bodies() const { return false; }
  virtual Result<Effect> Apply(Model& model, const PassEnv& env) const = 0;
};

using PassRegistry = Registry<Pass>;

struct PassRecord {
  std::string name;
  Effect effect = Effect::kUnchanged;
  double seconds = 0;           ///< over all rounds, verification not counted
  std::string problem;          ///< why it was undone; empty = fine
  Status cause = Status::Ok();  ///< the same as the pass reported it
};

struct PassRunnerOptions {
  std::set<std::string> disabled;  ///< registry names
  std::set<std::string> enabled;   ///< of those that are not on by default
  bool bodies = false;             ///< passes that can also rewrite the bodies of Loop and Scan, once, at the end
  /// Called after each pass that changed the model; an error undoes the pass (kPassFailed in its record).
  std::function<Status(const Model& before, const Model& after)> verify;
};

/// Runs the passes in registry order, phase by phase; those of the rounds until nothing changes (bounded). Never fatal:
/// a pass that fails, breaks the graph or is refused by `verify` is undone, recorded and not tried again. Shapes
/// are inferred before the first round and after each round that changed something.
///
/// @return one record per pass that is not disabled, in registry order; and one where the bodies were undone.
std::vector<PassRecord> RunPasses(Model& model, const PassRegistry& passes, const PassEnv& env,
                                  const PassRunnerOptions& options);

}  // namespace preon
