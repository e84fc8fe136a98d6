#include "base/exit_status.h"

namespace preon {

int ExitStatus(ErrorId id) {
  const int number = GetErrorInfo(id).number;
  if (id == ErrorId::kCancelled) return 130;
  if (id == ErrorId::kRequirementNotMet || id == ErrorId::kSizeNotReached) return 4;
  if (id == ErrorId::kNothingToGain) return 5;
  const bool asked_for = id == ErrorId::kFormatCombination || id == ErrorId::kFormatAttribute;
  if (number < 4000 || asked_for) return 2;
  return number / 100 == 55 ? 3 : 1;
}

}  // namespace preon
