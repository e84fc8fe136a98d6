// How the binary says that something went wrong.
#pragma once

#include <string>

#include "base/status.h"

namespace preon::cli {

/// "preon: error [E1004] MESSAGE", and the hint on a line of its own; with a line feed at the end.
std::string ErrorText(const Status& error, bool color = false);

/// Prints the error on stderr, with `json` also as an object on stdout. Returns the exit status.
int Complain(const Status& error, bool json);

}  // namespace preon::cli
