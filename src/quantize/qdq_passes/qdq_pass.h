// QdqPass: one rewrite of a Q/DQ model. One file each; the runner switches, records and checks them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "base/status.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Rewrites a model that has its Q/DQ nodes.
class QdqPass {
 public:
  virtual ~QdqPass() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// Does the plan ask for it? Else only the user has it.
  virtual bool WantedBy(const QuantPlan&) const { return false; }
  /// True: other codes come out, or the inputs and outputs differ, so that `verify` would refuse it.
  virtual bool changes_results() const { return false; }
  /// @param plan  an empty one where there is none: of a model that another run or tool has quantized
  /// An error: the model may be half rewritten (the runner undoes it).
  virtual Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const = 0;
};

using QdqPassRegistry = Registry<QdqPass>;

struct QdqPassOptions {
  std::set<std::string> disabled;  ///< registry names
  std::set<std::string> enabled;   ///< on top of those that the plan wants
  /// Called after each pass that changed the model, but for its results; an error undoes the pass.
  std::function<Status(const Model& before, const Model& after)> verify = nullptr;
};

/// Runs the passes once, in registry order. A pass that fails or is refused by `verify` is undone and recorded.
/// The graph may be unsorted before; it is in order and without unused constants afterwards.
/// Errors: a graph that is broken in the end.
Result<std::vector<PassRecord>> RunQdqPasses(Model& model, const QuantPlan& plan, const QdqPassOptions& options,
                                             std::vector<std::string>& warnings);
/// Runs these passes alone, by registry name, without a plan. Records and errors: those of RunQdqPasses.
Result<std::vector<PassRecord>> RunNamedQdqPasses(Model& model, const std::set<std::string>& names,
                                                  std::vector<std::string>& warnings,
                                                  const PassParameters& parameters = {});

/// As RunNamedQdqPasses, where each has to succeed: the names of those that changed the model. Errors: the first
/// pass's.
Result<std::vector<std::string>> ChangedByQdqPasses(Model& model, const std::set<std::string>& names,
                                                    std::vector<std::string>& warnings);

}  // namespace preon
