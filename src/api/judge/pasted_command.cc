#include "api/judge/pasted_command.h"

#include <algorithm>

#include "base/text.h"
#include "config/option_table.h"

namespace preon {
namespace {

bool IsOfQuantize(const std::string& name) {
  return std::ranges::any_of(
      OptionTable(), [&](const OptionSpec& spec) { return spec.name == name && (spec.verbs & kVerbQuantize) != 0; });
}

}  // namespace

std::string WithGivenOptions(std::string command, const std::string& config_file, const std::vector<Setting>& given,
                             const std::set<std::string>& left_out) {
  if (!config_file.empty()) command += " --config " + ShellWord(config_file);
  for (const Setting& setting : given) {
    if (setting.by_another || setting.value == "false" || left_out.contains(setting.name)) continue;
    command += " --" + setting.name;
    if (setting.value != "true") command += " " + ShellWord(setting.value);
  }
  return command;
}

std::string QuantizeCommand(const std::string& model, const std::string& config_file, const std::vector<Setting>& given,
                            const std::string& more, std::set<std::string> left_out) {
  left_out.insert({"output", "latency", "eval-data"});
  bool has_data = left_out.contains("data");  // then `more` names them
  for (const Setting& setting : given) {
    has_data |= setting.name == "data" || setting.name == "input";
    if (!IsOfQuantize(setting.name)) left_out.insert(setting.name);
  }
  const std::string command =
      StrCat("preon quantize ", ShellWord(model), " -o OUT.onnx", has_data ? "" : " --data SRC");
  return StrCat(WithGivenOptions(command, config_file, given, left_out), more.empty() ? "" : " ", more);
}

}  // namespace preon
