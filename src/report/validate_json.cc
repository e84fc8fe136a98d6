#include "report/json.h"
#include "report/json_object.h"
#include "report/pareto_front.h"

namespace preon {
namespace {

JsonObject ModelJson(const ValidatedModel& model) {
  JsonObject json = {{"name", model.name}};
  if (!model.options.empty()) json["options"] = model.options;
  if (!model.failed.empty()) {
    json["failed"] = model.failed;
    return json;
  }
  json["size_bytes"] = model.size_bytes;
  JsonObject compare = JsonObject::object();
  AddComparisonJson(compare, model.compare);
  json["compare"] = std::move(compare);
  for (const ClassDrop& drop : WorstClasses(model.compare.by_class))
    json["worst_classes"].push_back({{"label", drop.label},
                                     {"samples", drop.counts.all()},
                                     {"float_right", drop.counts.both + drop.counts.first_only},
                                     {"quantized_right", drop.counts.both + drop.counts.second_only}});
  if (model.metric) {
    json["metric"] = {{"name", model.metric->name},         {"unit", TextOf(model.metric->unit).name},
                      {"float", model.metric->float_value}, {"quantized", model.metric->quantized_value},
                      {"loss", model.metric->loss},         {"of_float", model.metric->of_float}};
    AddIntervalJson(json["metric"], "loss_interval", model.metric->loss_interval);
  }
  AddAlarmsJson(json, model.alarms);
  json["why_not"] = model.why_not;
  return json;
}

}  // namespace

std::string ToJson(const ValidateResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["float_size_bytes"] = result.float_size_bytes;
  json["unseen"] = result.unseen;
  json["models"] = JsonObject::array();
  const std::vector<bool> on_front = OnParetoFront(result.models);
  for (size_t model = 0; model < result.models.size(); ++model) {
    json["models"].push_back(ModelJson(result.models[model]));
    json["models"].back()["on_front"] = static_cast<bool>(on_front[model]);
  }
  json["meets_requirements"] = result.meets_requirements;
  json["judged"] = result.models[result.judged].name;
  json["best"] = result.models[result.best].name;
  json["latency"] = JsonObject::array();
  for (const LatencyPair* latency : {&result.latency_one, &result.latency_all}) {
    JsonObject measured = JsonObject::object();
    AddLatencyJson(measured, *latency);
    if (!measured.empty() && (latency == &result.latency_one || latency->threads > result.latency_one.threads))
      json["latency"].push_back(std::move(measured));
  }
  json["verdict"] = VerdictName(result.verdict);
  json["why_not"] = result.models[result.judged].why_not;
  json["steps"] = JsonObject::array();
  for (const NextStep& step : result.steps) {
    JsonObject entry = {{"kind", step.kind}, {"advice", step.advice}};
    if (!step.command.empty()) entry["command"] = step.command;
    if (step.gain_db) entry["gain_db"] = *step.gain_db;
    if (step.metric_gain) entry["metric_gain"] = *step.metric_gain;
    entry["enough"] = step.enough;
    json["steps"].push_back(std::move(entry));
  }
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon
