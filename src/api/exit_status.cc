#include "api/exit_status.h"

namespace preon {

int ExitStatus(ErrorId id) {
  const int number = GetErrorInfo(id).number;
  if (id == ErrorId::kCancelled) return 130;
  if (number < 4000) return 2;
  return number / 100 == 55 ? 3 : 1;
}

}  // namespace preon
