// PREON_CHECK: what only a bug can cause. User input must never reach one.
#pragma once

#include <stdexcept>
#include <string>

namespace preon {

/// Thrown by a failed check; caught only in cli/main and at the edge of the public library.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace preon

#define PREON_CHECK(cond)                                         \
  do {                                                            \
    if (!(cond)) ::preon::CheckFailed(__FILE__, __LINE__, #cond); \
  } while (false)
