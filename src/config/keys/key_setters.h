// From a key's value to the field it stands for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys/key_spec.h"
#include "config/option_table.h"

namespace preon {

/// Fields of PlanOptions::op_list: SetFlag<&OpListOptions::pairs, &PairOptions::dual>.
template <auto Part, auto Field>
Status SetFlag(Options& options, const KeyValue& value) {
  (options.plan.op_list.*Part).*Field = value.on;
  return Status::Ok();
}
/// Of PairOptions::removed.
template <auto Field>
Status SetRemoved(Options& options, const KeyValue& value) {
  options.plan.op_list.pairs.removed.*Field = value.on;
  return Status::Ok();
}
template <auto Part, auto Field>
Status SetTexts(Options& options, const KeyValue& value) {
  (options.plan.op_list.*Part).*Field = value.texts;
  return Status::Ok();
}
template <auto Part, auto Field>
Status SetInteger(Options& options, const KeyValue& value) {
  (options.plan.op_list.*Part).*Field = value.integer;
  return Status::Ok();
}

/// Runs `set`; messages about the options and algorithms that it sets name `key`, but where another key inside of it
/// has set them. @param settings, asked  those of the Options that it changes. Errors: those of `set`.
Status SetInTheNameOf(std::string_view key, const std::vector<Setting>& settings,
                      const std::map<std::string, AskedAlgorithm>& asked, SettingOrigins& origins,
                      const std::function<Status()>& set);

/// What is always so here: any value will do.
Status SetNothing(Options& options, const KeyValue& value);

/// A flag that is on, or off, as an option of ours.
Status SetIfOn(Options& options, const KeyValue& value, std::string_view option, const std::string& to = "true");
Status SetIfOff(Options& options, const KeyValue& value, std::string_view option, const std::string& to = "true");

}  // namespace preon
