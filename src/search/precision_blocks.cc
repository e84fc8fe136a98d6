#include "search/precision_blocks.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/file.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "quantize/settings/node_selection.h"

namespace preon {
namespace {

Result<std::vector<const Node*>> NodesOf(const nlohmann::json& block, const char* key, const Graph& graph) {
  const nlohmann::json names = block.value(key, nlohmann::json::array());
  if (!names.is_array()) return WrongType(names, "a list of node names").WithContext(key);
  std::vector<const Node*> nodes;
  for (const nlohmann::json& name : names) {
    if (!name.is_string()) return WrongType(name, "a node's name").WithContext(key);
    const auto text = name.get<std::string>();
    const size_t before = nodes.size();
    for (const auto& node : graph.nodes())
      if (StandsForOne(*node, {text})) nodes.push_back(node.get());
    if (nodes.size() == before) return Error(ErrorId::kNameNotInModel, key, ": the model has no node '", text, "'");
  }
  return nodes;
}

// The ends are part of it.
void AddReachable(const Graph& graph, const std::vector<const Node*>& starts, const std::vector<const Node*>& ends,
                  const std::string& name, std::map<std::string, std::string>& block_of) {
  std::deque<const Node*> next(starts.begin(), starts.end());
  std::set<const Node*> seen(starts.begin(), starts.end());
  while (!next.empty()) {
    const Node* node = next.front();
    next.pop_front();
    block_of.emplace(node->name, name);
    if (std::ranges::find(ends, node) != ends.end()) continue;
    for (const std::string& output : node->outputs())
      for (const Use& use : graph.Uses(output))
        if (use.node != nullptr && seen.insert(use.node).second) next.push_back(use.node);
  }
}

}  // namespace

Result<std::map<std::string, std::string>> ReadPrecisionBlocks(const std::string& path, const Graph& graph) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Result<nlohmann::json> parsed = ParseJson(text);
  if (!parsed.ok()) return std::move(parsed).status().WithContext(path);
  const nlohmann::json blocks = parsed->is_object() ? parsed->value("subgraphs", nlohmann::json()) : nlohmann::json();
  if (!blocks.is_array() || blocks.empty())
    return Error(ErrorId::kBadConfig, path, ": wanted {\"subgraphs\": [{\"name\", \"start_nodes\", \"end_nodes\"}]}");
  const nlohmann::json count = parsed->value("num_subgraphs", nlohmann::json());
  if (count.is_number() && count != blocks.size())
    return Error(ErrorId::kBadConfig, path, ": num_subgraphs is ", count.dump(), ", but there are ", blocks.size());
  std::map<std::string, std::string> block_of;
  for (const nlohmann::json& block : blocks) {
    if (!block.is_object() || !block.contains("name") || !block["name"].is_string())
      return Error(ErrorId::kBadConfig, path, ": got ", block.dump(), ", wanted an object with a name");
    auto starts = NodesOf(block, "start_nodes", graph);
    if (!starts.ok()) return std::move(starts).status().WithContext(path);
    auto ends = NodesOf(block, "end_nodes", graph);
    if (!ends.ok()) return std::move(ends).status().WithContext(path);
    AddReachable(graph, *starts, *ends, block["name"].get<std::string>(), block_of);
  }
  return block_of;
}

}  // namespace preon
