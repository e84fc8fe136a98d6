#include "quantize/settings/node_selection.h"

#include <algorithm>

#include "base/spelling.h"

namespace preon {
namespace {

// Every name under which the user may know the node.
std::vector<std::string> KnownNames(const Node& node) {
  std::vector<std::string> names = node.origins;
  names.push_back(node.name);
  return names;
}

std::vector<std::string> KnownNames(const Graph& source) {
  std::vector<std::string> names;
  for (const auto& node : source.nodes()) {
    for (std::string& name : KnownNames(*node)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<NamePattern> NamePattern::Parse(const std::string& text) {
  if (!text.starts_with('^')) return NamePattern(text);
  try {
    return NamePattern(std::regex(text));
  } catch (const std::regex_error& problem) {
    return Error(ErrorId::kBadConfig, "got '", text, "', which is no regular expression (", problem.what(), ")");
  }
}

bool NamePattern::Matches(const Node& node) const {
  return std::ranges::any_of(KnownNames(node), [&](const std::string& name) {
    const std::string* glob = std::get_if<std::string>(&pattern_);
    return glob != nullptr ? MatchesGlob(*glob, name) : std::regex_search(name, std::get<std::regex>(pattern_));
  });
}

Status CheckNodes(const Graph& source, const NamedNodes& named) {
  const std::vector<std::string> known = KnownNames(source);
  for (const std::string& node : named.nodes) {
    if (std::ranges::find(known, node) == known.end())
      return Error(ErrorId::kNameNotInModel, named.option, ": the model has no node '", node, "'",
                   DidYouMean(node, known));
  }
  return Status::Ok();
}

Status CheckNames(const Graph& source, const std::vector<std::string>& exclude, const std::vector<std::string>& wanted,
                  const std::vector<std::string>& no_output) {
  for (const std::string& pattern : exclude) {
    Result<NamePattern> parsed = NamePattern::Parse(pattern);
    if (!parsed.ok()) return std::move(parsed).status().WithContext("exclude");
    if (std::ranges::any_of(source.nodes(), [&](const auto& node) { return parsed->Matches(*node); })) continue;
    return Error(ErrorId::kNameNotInModel, "exclude: no node of the model matches '", pattern, "'",
                 DidYouMean(pattern, KnownNames(source)));
  }
  PREON_RETURN_IF_ERROR(CheckNodes(source, {"NodesToQuantize", wanted}));
  return CheckNodes(source, {"NodesToExcludeOutputQuantization", no_output});
}

Selection::Selection(const ExcludeOptions& exclude, const std::vector<std::string>& wanted)
    : types_(exclude.types), types_name_(exclude.types_name), nodes_(exclude.paths.nodes), wanted_(wanted) {
  for (const std::string& pattern : exclude.names) patterns_.emplace_back(pattern, *NamePattern::Parse(pattern));
}

bool Selection::Excludes(const Node& node) const {
  if (std::find(types_.begin(), types_.end(), node.op_type) != types_.end()) return true;
  return StandsForOne(node, nodes_) ||
         std::ranges::any_of(patterns_, [&](const auto& pattern) { return pattern.second.Matches(node); });
}

bool Selection::Includes(const Node& node) const {
  const std::vector<std::string> names = KnownNames(node);
  return wanted_.empty() || std::ranges::any_of(wanted_, [&](const std::string& pattern) {
           return std::ranges::any_of(names, [&](const std::string& name) { return MatchesGlob(pattern, name); });
         });
}

std::vector<std::string> Selection::WithoutEffect(const Graph& graph) const {
  std::vector<std::string> warnings;
  const auto& nodes = graph.nodes();
  for (const auto& [text, pattern] : patterns_) {
    if (std::ranges::any_of(nodes, [&](const auto& node) { return pattern.Matches(*node); })) continue;
    warnings.push_back(StrCat("exclude: '", text, "' has no effect: graph rewrites removed or merged it"));
  }
  for (const std::string& type : types_) {
    if (std::ranges::any_of(nodes, [&](const auto& node) { return node->op_type == type; })) continue;
    warnings.push_back(StrCat(types_name_, ": '", type, "' has no effect: no such node is left after the rewrites"));
  }
  return warnings;
}

bool StandsForOne(const Node& node, const std::set<std::string>& names) {
  if (names.empty()) return false;
  return std::ranges::any_of(KnownNames(node), [&](const std::string& name) { return names.contains(name); });
}

}  // namespace preon
