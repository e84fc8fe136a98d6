// Ctrl-C, SIGTERM, SIGQUIT and a lost terminal set a flag that ends a run in the middle, so that it clears up; a second
// one ends the process at once.
#pragma once

#include <atomic>

namespace preon::cli {

/// Installs the handlers and returns the flag. A closed pipe becomes an error of writing instead of a signal.
const std::atomic<bool>* InstallSignalHandlers();

/// Where the caller closed stdin, stdout or stderr, /dev/null takes the place: otherwise the next file that is opened
/// would, an output among them, and what is printed would go into it.
void OpenStandardStreams();

}  // namespace preon::cli
