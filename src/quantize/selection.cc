#include "quantize/selection.h"

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

bool MatchesAny(std::string_view pattern, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return MatchesGlob(pattern, name); });
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

Status CheckNames(const Graph& source, const PlanOptions& options) {
  std::vector<std::string> names, types;
  for (const auto& node : source.nodes()) {
    for (std::string& name : KnownNames(*node)) names.push_back(std::move(name));
    types.push_back(node->op_type);
  }
  for (const std::string& pattern : options.exclude) {
    if (MatchesAny(pattern, names)) continue;
    return Error(ErrorId::kNameNotInModel, "exclude: no node of the model matches '", pattern, "'",
                 DidYouMean(pattern, names));
  }
  for (const std::string& type : options.exclude_types) {
    if (std::ranges::find(types, type) != types.end()) continue;
    return Error(ErrorId::kNameNotInModel, "exclude-type: the model has no operator of type '", type, "'",
                 DidYouMean(type, types));
  }
  for (const auto& [tensor, wanted] : options.overrides) {
    if (source.HasTensor(tensor)) continue;
    return Error(ErrorId::kNameNotInModel, "overrides: the model has no tensor '", tensor, "'");
  }
  return Status::Ok();
}

bool Selection::Excludes(const Node& node) const {
  if (std::find(types_.begin(), types_.end(), node.op_type) != types_.end()) return true;
  const std::vector<std::string> names = KnownNames(node);
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) { return MatchesAny(pattern, names); });
}

std::vector<std::string> Selection::WithoutEffect(const Graph& graph) const {
  std::vector<std::string> warnings;
  const auto& nodes = graph.nodes();
  for (const std::string& pattern : patterns_) {
    if (std::ranges::any_of(nodes, [&](const auto& node) { return MatchesAny(pattern, KnownNames(*node)); })) continue;
    warnings.push_back(StrCat("exclude: '", pattern, "' has no effect: nothing is left of it after the rewrites"));
  }
  for (const std::string& type : types_) {
    if (std::ranges::any_of(nodes, [&](const auto& node) { return node->op_type == type; })) continue;
    warnings.push_back(StrCat("exclude-type: '", type, "' has no effect: no such node is left after the rewrites"));
  }
  return warnings;
}

}  // namespace preon
