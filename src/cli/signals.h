// Ctrl-C and SIGTERM set a flag that ends a run in the middle; a second one ends the process at once.
#pragma once

#include <atomic>

namespace preon::cli {

/// Installs the handlers and returns the flag. A closed pipe becomes an error of writing instead of a signal.
const std::atomic<bool>* InstallSignalHandlers();

}  // namespace preon::cli
