#include "report/json.h"
#include "report/json_object.h"

namespace preon {

std::string ToJson(const RetargetResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["changes"] = result.changes;
  json["lossless"] = result.lossless;
  json["random_data"] = result.figures.random_data;
  json["compare"] = RewriteJson(result.figures);
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon
