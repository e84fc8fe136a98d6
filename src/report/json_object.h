// The JSON object that a result becomes: how each begins and how it is written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/results/results.h"

namespace preon {

using JsonObject = nlohmann::ordered_json;

/// `schema` of every object: grows when a field changes its meaning or goes away, not when one is added (docs/json.md).
inline constexpr int kJsonSchema = 2;

/// schema, verb, version, seconds, peak_rss_bytes.
JsonObject BeginJson(const RunFacts& facts);
/// null for a number that is not there.
JsonObject NumberOrNull(const std::optional<double>& value);
/// [low, high]; nothing for an interval that is not there.
void AddIntervalJson(JsonObject& json, const char* name, const std::optional<ConfidenceInterval>& interval);
/// samples, outputs, argmax_agreement and accuracy.
void AddComparisonJson(JsonObject& json, const Comparison& compare);
/// requirements; nothing where there are none.
void AddRequirementsJson(JsonObject& json, const std::vector<RequirementOutcome>& outcomes);
/// alarms; also where there are none.
void AddAlarmsJson(JsonObject& json, const std::vector<Alarm>& alarms);
/// latency_ms, threads and speedup; nothing where it was not measured.
void AddLatencyJson(JsonObject& json, const LatencyPair& latency);
/// Both of these.
JsonObject RewriteJson(const RewriteFigures& figures);
/// One line. Names come from models and files: bytes that are no UTF-8 must not end the run.
std::string JsonLine(const JsonObject& json);

}  // namespace preon
