// What others throw, as a Status: for the edges of the program and the library.
#pragma once

#include <exception>
#include <stdexcept>
#include <string_view>

#include "base/status.h"

namespace preon {

/// What a function of the caller threw.
class CallbackError : public std::runtime_error {
 public:
  /// @param callback  its name in preon.h
  CallbackError(std::string_view callback, std::string_view problem);
};

/// kCallbackFailed of a CallbackError, kOutOfMemory where memory or threads have run out, kInternal for all else.
Status StatusOf(const std::exception& problem);

}  // namespace preon
