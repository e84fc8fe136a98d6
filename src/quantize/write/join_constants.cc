#include "quantize/write/join_constants.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace preon {
namespace {

constexpr size_t kLeastBytes = 1024;

bool HasFixedName(const Graph& graph, const std::string& tensor) {
  return graph.HasCapturedUse(tensor) || graph.IsOutput(tensor);
}

}  // namespace

void JoinFloatConstants(Graph& graph) {
  std::map<std::pair<Shape, std::string_view>, std::vector<std::string>> equal;
  for (const auto& [name, value] : graph.initializers()) {
    if (value.type() != DataType::kFloat || value.bytes().size() < kLeastBytes ||
        graph.overridable_initializers.contains(name))
      continue;
    const auto bytes = value.bytes();
    equal[{value.shape(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}}].push_back(name);
  }
  for (const auto& [key, names] : equal) {
    const auto fixed = std::ranges::find_if(names, [&](const auto& name) { return HasFixedName(graph, name); });
    const std::string& kept = fixed == names.end() ? names.front() : *fixed;
    for (const std::string& name : names) {
      if (name != kept && !HasFixedName(graph, name)) graph.ReplaceUses(name, kept);
    }
  }
  graph.RemoveUnusedInitializers();
}

}  // namespace preon
