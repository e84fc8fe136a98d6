// What others throw, as a Status: for the edges of the program and the library.
#pragma once

#include <exception>

#include "base/status.h"

namespace preon {

/// kOutOfMemory where memory or threads have run out, kInternal for all else.
Status StatusOf(const std::exception& problem);

}  // namespace preon
