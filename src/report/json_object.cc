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

void AddIntervalJson(JsonObject& json, const char* name, const std::optional<ConfidenceInterval>& interval) {
  if (interval) json[name] = {interval->low, interval->high};
}

void AddComparisonJson(JsonObject& json, const Comparison& compare) {
  JsonObject outputs = JsonObject::object();
  for (const auto& [name, output] : compare.outputs) {
    JsonObject& entry = outputs[name];
    if (output.left_out) {
      entry = {{"shape_differs", output.shape_differs}};
      if (output.float_not_finite > 0) entry["float_not_finite"] = output.float_not_finite;
      continue;
    }
    entry = {{"sqnr_db", output.sqnr_db}, {"cosine", output.cosine}, {"l2", output.l2}, {"max_abs", output.max_abs}};
    if (const std::optional<PerSample>& each = output.per_sample; each) {
      entry["per_sample"] = {{"cosine_mean", each->cosine_mean},
                             {"cosine_min", each->cosine_min},
                             {"l2_mean", each->l2_mean},
                             {"l2_max", each->l2_max}};
    }
    AddIntervalJson(entry, "sqnr_db_interval", output.sqnr_interval);
    if (output.equal_share) entry["equal_share"] = *output.equal_share;
    if (output.ranked) entry["ranked"] = true;
    if (output.scores_sqnr_db) entry["scores_sqnr_db"] = *output.scores_sqnr_db;
    if (output.argmax_agreement) entry["argmax_agreement"] = *output.argmax_agreement;
    if (output.not_finite > 0) entry["not_finite"] = output.not_finite;
    if (output.float_not_finite > 0) entry["float_not_finite"] = output.float_not_finite;
    if (output.shape_differs > 0) entry["shape_differs"] = output.shape_differs;
  }
  json["samples"] = compare.samples;
  json["outputs"] = outputs;
  if (compare.argmax_agreement) {
    json["argmax_output"] = compare.class_output;
    json["argmax_agreement"] = *compare.argmax_agreement;
    AddIntervalJson(json, "argmax_agreement_interval", compare.agreement_interval);
  }
  if (compare.reference_accuracy && compare.other_accuracy) {
    json["accuracy"] = {{"float", AccuracyJson(*compare.reference_accuracy)},
                        {"quantized", AccuracyJson(*compare.other_accuracy)}};
    AddIntervalJson(json["accuracy"], "top1_drop_interval", compare.drop_interval);
  }
}

void AddRequirementsJson(JsonObject& json, const std::vector<RequirementOutcome>& outcomes) {
  for (const RequirementOutcome& outcome : outcomes)
    json["requirements"].push_back({{"requirement", outcome.requirement},
                                    {"measured", outcome.measured},
                                    {"holds", outcome.holds},
                                    {"sure", outcome.sure}});
}

void AddAlarmsJson(JsonObject& json, const std::vector<Alarm>& alarms) {
  json["alarms"] = JsonObject::array();
  for (const Alarm& alarm : alarms) json["alarms"].push_back({{"id", alarm.id}, {"message", alarm.message}});
}

void AddLatencyJson(JsonObject& json, const LatencyPair& latency) {
  const Speedup& speedup = latency.speedup;
  if (speedup.median <= 0) return;  // not measured
  json["latency_ms"] = {{"float", LatencyJson(latency.reference)}, {"quantized", LatencyJson(latency.other)}};
  json["threads"] = latency.threads;
  json["speedup"] = {{"median", speedup.median}, {"low", speedup.low}, {"high", speedup.high}, {"busy", speedup.busy}};
  if (speedup.of_processor_time) json["speedup"]["of_processor_time"] = true;
}

JsonObject RewriteJson(const RewriteFigures& figures) {
  JsonObject json = JsonObject::object();
  AddComparisonJson(json, figures.compare);
  AddLatencyJson(json, figures.latency);
  return json;
}

}  // namespace preon
