// Which nodes the user excluded, by the names of the user's own file: a node that passes built answers to all its
// origins.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"

namespace preon {

/// Glob with `*` (any run) and `?` (one character).
bool MatchesGlob(std::string_view pattern, std::string_view text);

/// A name, a glob, or from `^` on a regular expression that is searched for.
class NamePattern {
 public:
  /// Errors: kBadConfig for what is no regular expression.
  static Result<NamePattern> Parse(const std::string& text);

  /// By every name under which the user may know the node.
  bool Matches(const Node& node) const;

 private:
  explicit NamePattern(std::variant<std::string, std::regex> pattern) : pattern_(std::move(pattern)) {}

  std::variant<std::string, std::regex> pattern_;
};

/// Are the options' names those of the user's model? Errors: kNameNotInModel for a node that is not
/// there, with the nearest name; kBadConfig for what is no regular expression. Operator types: CheckOpTypes.
Status CheckNames(const Graph& source, const std::vector<std::string>& exclude, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& no_output);

/// Names of nodes, and the option that gives them.
struct NamedNodes {
  std::string_view option;
  std::vector<std::string> nodes;
};

/// Has the user's model all of them? Errors: kNameNotInModel with the nearest name.
Status CheckNodes(const Graph& source, const NamedNodes& named);

/// Is the node, or one that it stands for, among them?
bool StandsForOne(const Node& node, const std::set<std::string>& names);

class Selection {
 public:
  /// @param wanted  NodesToQuantize; empty: all. The names have passed CheckNames.
  Selection(const ExcludeOptions& exclude, const std::vector<std::string>& wanted);

  bool Excludes(const Node& node) const;
  /// Is it one of the nodes that the options name, where they name some?
  bool Includes(const Node& node) const;
  /// One warning per name that matches nothing in the rewritten graph: rewrites folded all it stood for into constants.
  std::vector<std::string> WithoutEffect(const Graph& graph) const;

 private:
  std::vector<std::pair<std::string, NamePattern>> patterns_;
  std::vector<std::string> types_;
  std::string types_name_;
  std::set<std::string> nodes_;
  std::vector<std::string> wanted_;
};

}  // namespace preon
