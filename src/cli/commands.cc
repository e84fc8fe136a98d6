#include "cli/command.h"

namespace preon::cli {

std::vector<Command> Commands() {
  return {QuantizeCommand(), CalibrateCommand(), MergeCommand(),   RangesCommand(),
          InspectCommand(),  RunCommand(),       CompareCommand(), DoctorCommand()};
}

}  // namespace preon::cli
