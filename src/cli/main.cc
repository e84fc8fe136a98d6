// The edge of the process: signals in, exit status out; nothing thrown gets past here.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "base/exceptions.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/complaint.h"
#include "cli/crash_guard.h"
#include "cli/late_exit.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "config/ignored_options.h"

namespace preon::cli {
namespace {

// A reader that has closed the pipe has seen enough: that is no error.
Status Print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return Status::Ok();
  return Error(ErrorId::kIoWrite, "stdout: can't write: ", std::strerror(errno));
}

// Of a result: the first line, which says of what it is, and warnings.
std::string Colored(const std::string& text) {
  std::string colored;
  const std::vector<std::string> lines = Split(text, '\n');
  for (size_t line = 0; line < lines.size(); ++line) {
    const bool warns = lines[line].starts_with("  warning");
    colored += line == 0 ? Styled(lines[line], Style::kBold, !lines[line].empty())
                         : Styled(lines[line], Style::kYellow, warns);
    if (line + 1 < lines.size()) colored += '\n';
  }
  return colored;
}

// The exit status, where nothing failed.
Result<int> Run(int argc, const char* const* argv) {
  OpenStandardStreams();
  const std::atomic<bool>* interrupted = InstallSignalHandlers();
  ExitSoonAfterInterrupt(*interrupted, WantsJson(argc, argv));
  const Builtins builtins = MakeBuiltins();
  PREON_ASSIGN_OR_RETURN(Arguments arguments, ParseArguments(argc, argv, builtins));
  if (!arguments.help.empty()) {
    PREON_RETURN_IF_ERROR(Print(arguments.help));
    return 0;
  }
  // Several sessions one after the other. `run` stays what any program gets from the runtime: the measure of the
  // others.
  if ((arguments.command.verb & (kVerbQuantize | kVerbCalibrate | kVerbInstrument)) != 0) ReturnLargeBlocksAtOnce();

  std::error_code unknown;
  arguments.options.calibration.workers.program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();

  ProgressPrinter progress(arguments.json, arguments.verbosity, arguments.options.calibration.workers.task.has_value());
  const RunContext context{
      .threads = arguments.options.resources.threads,
      .tmp_dir = arguments.options.resources.tmp_dir,
      .log = [&](LogLevel level, std::string_view message) { progress.Log(level, message); },
      .log_level = arguments.verbosity == Verbosity::kVerbose ? LogLevel::kDebug : LogLevel::kWarning,
      .progress = [&](const Progress& now) { progress.Show(now); },
      .cancel = interrupted};
  Result<RunInputs> run = MakeRunInputs(arguments.options, builtins, context);
  if (!run.ok()) return NamedByKey(std::move(run).status(), arguments.options.given.origins);
  PREON_ASSIGN_OR_RETURN(const Answer answer, arguments.command.run(arguments.positionals, *run));
  progress.Clear();
  PREON_RETURN_IF_ERROR(Print(arguments.json              ? answer.json + "\n"
                              : ShowsColor(STDOUT_FILENO) ? Colored(answer.text)
                                                          : answer.text));
  return answer.exit_status;
}

int Main(int argc, const char* const* argv) {
  try {
    const Result<int> status = Run(argc, argv);
    return status.ok() ? *status : Complain(status.status(), WantsJson(argc, argv));
  } catch (const std::exception& problem) {
    return Complain(StatusOf(problem), WantsJson(argc, argv));
  }
}

}  // namespace
}  // namespace preon::cli

int main(int argc, char** argv) {
  const int status = preon::cli::OnLargeStack([&] {
    preon::cli::InstallCrashGuard(argc, argv);
    return preon::cli::Main(argc, argv);
  });
  std::fflush(nullptr);
  std::_Exit(status);  // all work is done: to take the registries of operators apart would only take time
}
