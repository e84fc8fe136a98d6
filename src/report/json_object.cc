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

void AddComparisonJson(JsonObject& json, const Comparison& compare) {
  JsonObject outputs = JsonObject::object();
  for (const auto& [name, output] : compare.outputs) {
    JsonObject& entry = outputs[name];
    if (output.left_out) {
      entry = {{"shape_differs", output.shape_differs}};
      continue;
    }
    entry = {{"sqnr_db", output.sqnr_db}, {"cosine", output.cosine}, {"l2", output.l2}, {"max_abs", output.max_abs}};
    if (output.argmax_agreement) entry["argmax_agreement"] = *output.argmax_agreement;
    if (output.not_finite > 0) entry["not_finite"] = output.not_finite;
    if (output.shape_differs > 0) entry["shape_differs"] = output.shape_differs;
  }
  json["samples"] = compare.samples;
  json["outputs"] = outputs;
  if (compare.argmax_agreement) {
    json["argmax_output"] = compare.class_output;
    json["argmax_agreement"] = *compare.argmax_agreement;
  }
  if (compare.reference_accuracy && compare.other_accuracy) {
    json["accuracy"] = {{"float", AccuracyJson(*compare.reference_accuracy)},
                        {"quantized", AccuracyJson(*compare.other_accuracy)}};
  }
}

void AddLatencyJson(JsonObject& json, const LatencyPair& latency) {
  const Speedup& speedup = latency.speedup;
  if (speedup.median <= 0) return;  // not measured
  json["latency_ms"] = {{"float", LatencyJson(latency.reference)}, {"quantized", LatencyJson(latency.other)}};
  json["threads"] = latency.threads;
  json["speedup"] = {{"median", speedup.median}, {"low", speedup.low}, {"high", speedup.high}, {"busy", speedup.busy}};
}

}  // namespace preon
