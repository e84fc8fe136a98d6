// The last line of defence: what would end the process without a word ends it with an error of its own.
#pragma once

#include <functional>

namespace preon::cli {

/// From now on a fault (SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT) is an error as any other and exit status 1. The
/// runtime computes what a model says; what is known to crash it is refused before (ir/input/hostile_model.h), the rest
/// ends here. A SIGBUS is a mapped file that became shorter while it was read, and names the file. For a process of its
/// own alone: in a library the handlers would be the host's affair. Sanitizers have their own.
void InstallCrashGuard(int argc, const char* const* argv);

/// What `body` gives, on a stack of at least 8 MB, which every later thread has, too: a small `ulimit -s` is no reason
/// to end.
int OnLargeStack(const std::function<int()>& body);

}  // namespace preon::cli
