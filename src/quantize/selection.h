// Which nodes the user excluded, by the names of the user's own file: a node that passes built answers to all its origins.
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

class Selection {
 public:
  /// Errors: kNameNotInModel for a pattern or type that matches nothing, with the nearest name.
  static Result<Selection> Create(const Graph& graph, const PlanOptions& options);

  bool Excludes(const Node& node) const;

 private:
  std::vector<std::string> patterns_, types_;
};

}  // namespace preon
