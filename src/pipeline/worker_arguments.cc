#include "pipeline/worker_arguments.h"

#include <algorithm>
#include <array>

#include "config/option_table.h"

namespace preon {
namespace {

constexpr std::array kOfEachProcess = {"output", "workers", "threads", "tmp-dir", "resume", "save-histograms"};

}  // namespace

std::vector<std::string> CalibrationArguments(const std::string& config_file, const std::vector<Setting>& settings) {
  std::vector<std::string> words;
  if (!config_file.empty()) words.push_back("--config=" + config_file);
  for (auto setting = settings.begin(); setting != settings.end(); ++setting) {
    if (setting->by_another || std::ranges::find(kOfEachProcess, setting->name) != kOfEachProcess.end()) continue;
    const auto spec = std::ranges::find(OptionTable(), setting->name, &OptionSpec::name);
    if ((spec->verbs & kVerbCalibrate) == 0) continue;
    // The command line takes one value where a library user may have set several.
    const auto is_same = [&](const Setting& later) { return later.name == setting->name; };
    if (spec->kind != OptionKind::kList && std::any_of(setting + 1, settings.end(), is_same)) continue;
    if (spec->kind != OptionKind::kFlag)
      words.push_back("--" + setting->name + "=" + setting->value);
    else if (setting->value == "true")
      words.push_back("--" + setting->name);
  }
  return words;
}

}  // namespace preon
