#include "config/yaml.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string Place(const YAML::Mark& mark) { return StrCat("line ", mark.line + 1, ", column ", mark.column + 1); }

OrderedJson ScalarToJson(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  const std::string lower = ToLower(text);
  if (lower == "true" || lower == "false") return lower == "true";
  if (lower.empty() || lower == "null" || lower == "~") return nullptr;
  if (const auto integer = ParseNumber<int64_t>(text)) return *integer;
  if (const auto number = ParseNumber<double>(text); number && std::isfinite(*number)) return *number;
  return text;
}

struct Room;
Result<OrderedJson> ChildrenToJson(const YAML::Node& node, Room& room);

// Aliases make a tree out of a graph: one that holds itself never ends, and doubling nine times nine makes a bomb.
struct Room {
  size_t bytes = size_t{16} << 20;
  int levels = 64;  // as in JSON
};

Result<OrderedJson> ToJson(const YAML::Node& node, Room& room) {
  constexpr size_t kNodeBytes = sizeof(OrderedJson);
  size_t bytes = kNodeBytes + (node.IsScalar() ? node.Scalar().size() : 0);
  if (node.IsMap())
    for (const auto& entry : node) bytes += entry.first.IsScalar() ? entry.first.Scalar().size() : 0;
  if (room.levels == 0 || bytes > room.bytes) {
    return Error(ErrorId::kBadConfig, Place(node.Mark()),
                 room.levels == 0 ? ": more than 64 nested levels, or an alias inside its own anchor"
                                  : ": aliases that expand to more than 16 MB");
  }
  room.bytes -= bytes;
  --room.levels;
  Result<OrderedJson> json = ChildrenToJson(node, room);
  ++room.levels;
  return json;
}

Result<OrderedJson> ChildrenToJson(const YAML::Node& node, Room& room) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return ScalarToJson(node);
    case YAML::NodeType::Sequence: {
      OrderedJson list = OrderedJson::array();
      for (const YAML::Node& item : node) {
        PREON_ASSIGN_OR_RETURN(OrderedJson value, ToJson(item, room));
        list.push_back(std::move(value));
      }
      return list;
    }
    case YAML::NodeType::Map: {
      OrderedJson object = OrderedJson::object();
      for (const auto& entry : node) {
        if (!entry.first.IsScalar())
          return Error(ErrorId::kBadConfig, Place(entry.first.Mark()), ": a key that is not text");
        const std::string& key = entry.first.Scalar();
        if (object.contains(key))
          return Error(ErrorId::kBadConfig, Place(entry.first.Mark()), ": key '", key, "' is given twice");
        PREON_ASSIGN_OR_RETURN(object[key], ToJson(entry.second, room));
      }
      return object;
    }
    default:
      return OrderedJson();
  }
}

}  // namespace

bool IsYaml(const std::string& path) {
  const std::string lower = ToLower(path);
  return lower.ends_with(".yaml") || lower.ends_with(".yml");
}

Result<nlohmann::json> ParseYaml(const std::string& text, const std::string& name) {
  PREON_ASSIGN_OR_RETURN(const OrderedJson ordered, ParseOrderedYaml(text, name));
  return nlohmann::json(ordered);
}

Result<nlohmann::ordered_json> ParseOrderedYaml(const std::string& text, const std::string& name) {
  try {
    Room room;
    Result<OrderedJson> json = ToJson(YAML::Load(text), room);
    if (!json.ok()) return std::move(json).status().WithContext(name);
    return json;
  } catch (const YAML::Exception& problem) {
    return Error(ErrorId::kBadConfig, name, ": ", Place(problem.mark), ": ", problem.msg);
  }
}

}  // namespace preon
