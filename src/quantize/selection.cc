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

Result<Selection> Selection::Create(const Graph& graph, const PlanOptions& options) {
  Selection selection;
  selection.patterns_ = options.exclude;
  selection.types_ = options.exclude_types;

  std::vector<std::string> names, types;
  for (const auto& node : graph.nodes()) {
    for (std::string& name : KnownNames(*node)) names.push_back(std::move(name));
    types.push_back(node->op_type);
  }
  for (const std::string& pattern : selection.patterns_) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return MatchesGlob(pattern, name); })) {
      return Error(ErrorId::kNameNotInModel, "exclude: no node of the model matches '", pattern, "'", DidYouMean(pattern, names));
    }
  }
  for (const std::string& type : selection.types_) {
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      return Error(ErrorId::kNameNotInModel, "exclude-type: the model has no operator of type '", type, "'", DidYouMean(type, types));
    }
  }
  return selection;
}

bool Selection::Excludes(const Node& node) const {
  if (std::find(types_.begin(), types_.end(), node.op_type) != types_.end()) return true;
  const std::vector<std::string> names = KnownNames(node);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return MatchesGlob(pattern, name); });
  });
}

}  // namespace preon
