#include "base/exceptions.h"

#include <cerrno>
#include <new>
#include <system_error>

namespace preon {

CallbackError::CallbackError(std::string_view callback, std::string_view problem)
    : std::runtime_error(StrCat(callback, " threw an exception: ", problem)) {}

Status StatusOf(const std::exception& problem) {
  if (dynamic_cast<const CallbackError*>(&problem) != nullptr) return Error(ErrorId::kCallbackFailed, problem.what());
  constexpr char kHint[] = "raise the limit (ulimit -v, -d, -u, or the container's), or take fewer --threads";
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr)
    return Error(ErrorId::kOutOfMemory, "out of memory").WithHint(kHint);
  // Threads have stacks: the system says "try again" where there is no room for one more.
  const auto* system = dynamic_cast<const std::system_error*>(&problem);
  if (system != nullptr && (system->code().value() == EAGAIN || system->code().value() == ENOMEM))
    return Error(ErrorId::kOutOfMemory, "out of memory for another thread: ", system->code().message()).WithHint(kHint);
  return Error(ErrorId::kInternal, "internal error: ", problem.what(), "; please report it");
}

}  // namespace preon
