#include "report/json_object.h"

namespace preon {

JsonObject BeginJson(const RunFacts& facts) {
  JsonObject seconds = JsonObject::object();
  for (const auto& [stage, value] : facts.seconds) seconds[stage] = value;
  seconds["total"] = facts.total_seconds;
  return {{"schema", kJsonSchema},
          {"verb", facts.verb},
          {"version", facts.version},
          {"seconds", seconds},
          {"peak_rss_bytes", facts.peak_rss_bytes}};
}

JsonObject NumberOrNull(const std::optional<double>& value) { return value ? JsonObject(*value) : JsonObject(nullptr); }

std::string JsonLine(const JsonObject& json) { return json.dump(-1, ' ', false, JsonObject::error_handler_t::replace); }

}  // namespace preon
