#include "cli/command.h"

namespace preon::cli {

std::vector<Command> Commands() {
  return {QuantizeCommand(), CalibrateCommand(), InstrumentCommand(), MergeCommand(),       StatusCommand(),
          RangesCommand(),   AnalyzeCommand(),   InspectCommand(),    PassesCommand(),      RunCommand(),
          CompareCommand(),  ValidateCommand(),  SearchCommand(),     SensitivityCommand(), ReportCommand(),
          LintCommand(),     RetargetCommand(),  DiffCommand(),       ExportQatCommand(),   EncryptCommand(),
          DecryptCommand(),  DoctorCommand()};
}

}  // namespace preon::cli
