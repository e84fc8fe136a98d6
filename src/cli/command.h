// Command: one verb of the binary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/option_table.h"
#include "pipeline/run_inputs.h"

namespace preon::cli {

/// What a verb prints: one of both, by --json.
struct Answer {
  std::string text, json;
  int exit_status = 0;  ///< of the process that prints it
};

struct Command {
  Verb verb{};  ///< 0: takes no options but those of all verbs
  std::string_view name;
  std::string_view summary;                   ///< one line for the list of verbs
  std::vector<std::string_view> positionals;  ///< names; one that ends with "..." takes one or more
  std::string_view examples;                  ///< below the options in --help
  Result<Answer> (*run)(const std::vector<std::string>& positionals, RunInputs& run) = nullptr;
};

/// All verbs, in the order of help.
std::vector<Command> Commands();

Command QuantizeCommand();
Command CalibrateCommand();
Command InstrumentCommand();
Command MergeCommand();
Command StatusCommand();
Command RangesCommand();
Command AnalyzeCommand();
Command InspectCommand();
Command PassesCommand();
Command RunCommand();
Command CompareCommand();
Command LintCommand();
Command DiffCommand();
Command RetargetCommand();
Command ExportQatCommand();
Command EncryptCommand();
Command DecryptCommand();
Command SensitivityCommand();
Command ReportCommand();
Command ValidateCommand();
Command SearchCommand();
Command DoctorCommand();

}  // namespace preon::cli
