#include "report/json.h"
#include "report/json_object.h"

namespace preon {

std::string ToJson(const FullReport& result) {
  JsonObject json = BeginJson(result.facts);
  if (!result.output.empty()) json["output"] = result.output;
  if (!result.command.empty()) json["command"] = result.command;
  json["environment"] = {{"cpu", result.machine.cpu},
                         {"cpu_features", result.machine.cpu_features},
                         {"kernels", result.machine.kernels},
                         {"threads", result.machine.threads},
                         {"runtime_version", result.machine.runtime_version}};
  json["validate"] = JsonObject::parse(ToJson(result.validated));
  const ValidatedModel& judged = result.validated.models[result.validated.judged];
  json["most_changed"] = JsonObject::array();
  for (const ChangedSample& sample : judged.compare.most_changed)
    json["most_changed"].push_back({{"sample", sample.name}, {"sqnr_db", sample.sqnr_db}});
  if (result.sensitivity)
    json["sensitivity"] = JsonObject::parse(ToJson(*result.sensitivity));
  else
    json["why_no_sensitivity"] = result.why_no_sensitivity;
  if (result.analysis) json["analysis"] = JsonObject::parse(ToJson(*result.analysis));
  return JsonLine(json);
}

}  // namespace preon
