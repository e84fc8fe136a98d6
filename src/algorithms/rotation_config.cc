#include "algorithms/rotation_config.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/spelling.h"
#include "base/str_cat.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Result<std::vector<std::string>> NamesIn(const Json& pair, const char* field) {
  std::vector<std::string> names;
  if (!pair.contains(field)) return names;
  if (!pair[field].is_array()) return Error(ErrorId::kBadConfig, field, ": wanted a list of node names");
  for (const Json& name : pair[field]) {
    if (!name.is_string()) return Error(ErrorId::kBadConfig, field, ": wanted a list of node names");
    names.push_back(name.get<std::string>());
  }
  return names;
}

Result<RotationPair> ParsePair(const Json& json) {
  const std::vector<std::string> known = {"prev_nodes", "norm_node", "next_nodes"};
  if (!json.is_object()) return Error(ErrorId::kBadConfig, "wanted an object");
  for (const auto& [field, value] : json.items()) {
    if (std::ranges::find(known, field) == known.end())
      return Error(ErrorId::kBadConfig, "unknown field '", field, "'", DidYouMean(field, known));
  }
  RotationPair pair;
  PREON_ASSIGN_OR_RETURN(pair.writers, NamesIn(json, "prev_nodes"));
  PREON_ASSIGN_OR_RETURN(pair.readers, NamesIn(json, "next_nodes"));
  const Json norm = json.value("norm_node", Json());
  if (!norm.is_null() && !norm.is_string()) return Error(ErrorId::kBadConfig, "norm_node: wanted a node name");
  if (norm.is_string()) pair.norm = norm.get<std::string>();
  return pair;
}

}  // namespace

Result<std::vector<RotationPair>> ReadRotationConfig(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("R1_pairs") || !json["R1_pairs"].is_array() || json["R1_pairs"].empty())
    return Error(ErrorId::kBadConfig, path, ": wanted a JSON object with a list R1_pairs");
  std::vector<RotationPair> pairs;
  for (const Json& each : json["R1_pairs"]) {
    Result<RotationPair> pair = ParsePair(each);
    if (!pair.ok()) return std::move(pair).status().WithContext(path, ": R1_pairs[", pairs.size(), "]");
    pairs.push_back(*std::move(pair));
  }
  return pairs;
}

}  // namespace preon
