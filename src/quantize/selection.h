// Which nodes the user excluded, by the names of the user's own file: a node that passes built answers to all its
// origins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan.h"

namespace preon {

/// Glob with `*` (any run) and `?` (one character).
bool MatchesGlob(std::string_view pattern, std::string_view text);

/// Are the options' names those of the user's model? Errors: kNameNotInModel for a node, type or tensor that is not
/// there, with the nearest name.
Status CheckNames(const Graph& source, const PlanOptions& options);

class Selection {
 public:
  explicit Selection(const PlanOptions& options) : patterns_(options.exclude), types_(options.exclude_types) {}

  bool Excludes(const Node& node) const;
  /// One warning per name that matches nothing in the rewritten graph: rewrites folded all it stood for into constants.
  std::vector<std::string> WithoutEffect(const Graph& graph) const;

 private:
  std::vector<std::string> patterns_, types_;
};

}  // namespace preon
