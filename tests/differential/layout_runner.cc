// Quantizes many small models in one process, each with layout options of its own: what test_golden_graphs.py compares.
// One JSON object per line of stdin: {"model", "out", "set": [[option, value]…], "layout": {key: value…}}; one line of
// stdout each: nothing, or what went wrong.
#include <iostream>
#include <nlohmann/json.hpp>

#include "api/calibrate_stage.h"
#include "api/option_table.h"
#include "api/plan_statistics.h"
#include "ir/model_io.h"

namespace preon {
namespace {

using Json = nlohmann::json;

// What presets and ONNX Runtime's quantizer say, and no key.
Status SetLayout(LayoutOptions& layout, const std::string& key, const Json& value) {
  if (key == "format") {
    layout.format = value == "extended" ? QuarkFormat::kExtended : QuarkFormat::kBase;
  } else if (key == "transformer") {
    layout.transformer = value.get<bool>();
  } else if (key == "reduce_range") {
    layout.reduce_range = value.get<bool>();
  } else if (key == "keep_clamps") {
    layout.pairs.keep_clamps = value.get<bool>();
  } else if (key == "min_real_range") {
    layout.min_real_range = value.get<double>();
  } else {
    return Error(ErrorId::kUnknownOption, "layout key ", key);
  }
  return Status::Ok();
}

Status Quantize(const Json& line, const Builtins& builtins) {
  Options options;
  options.threads = 1;
  for (const auto& setting : line["set"]) PREON_RETURN_IF_ERROR(SetOption(options, setting[0].get<std::string>(), setting[1].get<std::string>()));
  for (const auto& [key, value] : line["layout"].items()) PREON_RETURN_IF_ERROR(SetLayout(options.plan.layout, key, value));
  options.optimize_observed = options.plan.compat == Compat::kOff;   // bit for bit
  const RunContext context{.threads = 1};
  PREON_ASSIGN_OR_RETURN(Job job, MakeJob(options, builtins, context));
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(line["model"].get<std::string>(), job));
  FloatOutputs outputs;
  CalibrationData data;
  if (!prepared.plan.ObservedTensors().empty()) {
    PREON_ASSIGN_OR_RETURN(data, CalibrateStage(prepared, job, nullptr, outputs));
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
