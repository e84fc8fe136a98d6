// OpListTarget: what all targets have in common whose operators mark tensors (op_list_rules.h).
#pragma once

#include <vector>

#include "quantize/targets/op_list/op_list_planner.h"
#include "quantize/targets/op_list/op_list_rules.h"
#include "quantize/targets/targets.h"

namespace preon {

class OpListTarget : public Target {
 public:
  /// Block formats and unscaled floats have no ranges.
  bool NeedsStatistics(const PlanOptions& options) const override {
    return OpListNeedsStatistics(options.activation, options.scaled.activation, options.HasSettings());
  }
  std::vector<IgnoredKey> IgnoredKeys(const PlanOptions& options) const override {
    return RulesOf(options).IgnoredKeys({options.op_list, options.activation, options.weight,
                                         options.activation_symmetric, options.per_channel, options.settings,
                                         options.compat});
  }

 protected:
  virtual OpListRules RulesOf(const PlanOptions& options) const = 0;
};

}  // namespace preon
