// Quantizes many small models in one process, each with options of its own: what test_golden_graphs.py compares.
// One JSON object per line of stdin: {"model", "out", "set": [[option, value]…]}; one line of stdout each: nothing, or
// what went wrong.
#include <iostream>
#include <nlohmann/json.hpp>

#include "config/option_table.h"
#include "ir/model_io.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/run_inputs.h"
#include "pipeline/write_plan.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Status Quantize(const Json& line, const Builtins& builtins) {
  Options options;
  options.resources.threads = 1;
  for (const auto& setting : line["set"])
    PREON_RETURN_IF_ERROR(SetOption(options, setting[0].get<std::string>(), setting[1].get<std::string>()));
  // They come from configurations, where what has no effect is a warning.
  for (const auto& [key, ignored] : options.given.keys) options.given.origins.hints.insert(key);
  for (const Setting& setting : options.given.settings) options.given.origins.hints.insert(setting.name);
  const bool has_ranges = IsIntType(options.plan.activation.type());
  options.calibration.observe.optimize = options.plan.compat == Compat::kOff || !has_ranges;  // bit for bit
  PREON_ASSIGN_OR_RETURN(RunInputs run, MakeRunInputs(options, builtins, {.threads = 1}));
  const ModelPreparation preparation = run.Preparation();
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(line["model"].get<std::string>()));
  Calibration calibration;
  if (!prepared.plan.ObservedTensors().empty()) {
    PREON_ASSIGN_OR_RETURN(calibration, run.Calibration(preparation).Run(prepared, {}));
  }
  const PlanInputs inputs{.data = calibration.data,
                          .collected_ranges = calibration.collected_ranges ? &*calibration.collected_ranges : nullptr,
                          .own_method = run.choices.own_method,
                          .algorithms = run.choices.algorithms.list,
                          .passes = QdqPassesOf(run.choices.passes)};
  PREON_ASSIGN_OR_RETURN(const Model quantized,
                         WritePlan(prepared.model, prepared.plan, *run.choices.method, inputs, run.context));
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
