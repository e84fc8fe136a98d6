// Quantizes many small models in one process, each with options of its own: what test_golden_graphs.py compares.
// One JSON object per line of stdin: {"model", "out", "set": [[option, value]…]}; one line of stdout each: nothing, or
// what went wrong.
#include <iostream>
#include <nlohmann/json.hpp>

#include "config/option_table.h"
#include "ir/model_io.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/select_ranges.h"
#include "quantize/plan/plan_statistics.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Status Quantize(const Json& line, const Builtins& builtins) {
  Options options;
  options.threads = 1;
  for (const auto& setting : line["set"])
    PREON_RETURN_IF_ERROR(SetOption(options, setting[0].get<std::string>(), setting[1].get<std::string>()));
  // They come from configurations, where what has no effect is a warning.
  for (const auto& [key, ignored] : options.keys) options.hints.insert(key);
  for (const Setting& setting : options.settings) options.hints.insert(setting.name);
  options.optimize_observed = options.plan.compat == Compat::kOff;  // bit for bit
  const RunContext context{.threads = 1};
  PREON_ASSIGN_OR_RETURN(Job job, MakeJob(options, builtins, context));
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(line["model"].get<std::string>(), job));
  FloatOutputs outputs;
  CalibrationData data;
  if (!prepared.plan.ObservedTensors().empty()) {
    PREON_ASSIGN_OR_RETURN(data, CalibrateStage(prepared, job, nullptr, outputs, nullptr));
  }
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, *job.choices.method, job));
  PREON_ASSIGN_OR_RETURN(const Model quantized, ApplyPlan(prepared.model, prepared.plan, statistics, nullptr));
  return SaveModel(quantized, line["out"].get<std::string>());
}

int RunAll() {
  const Builtins builtins = MakeBuiltins();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string problem;
    try {
      const Status status = Quantize(Json::parse(line), builtins);
      if (!status.ok()) problem = status.ToString();
    } catch (const std::exception& error) {
      problem = StrCat("exception: ", error.what());
    }
    std::ranges::replace(problem, '\n', ' ');
    std::cout << problem << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace preon

int main() { return preon::RunAll(); }
