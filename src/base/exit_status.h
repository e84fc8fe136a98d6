// Which exit status an error stands for.
#pragma once

#include "base/status.h"

namespace preon {

/// 2 wrong usage, configuration or input file; 3 the result did not pass verification; 4 --require does not hold; 5
/// nothing to gain; 130 interrupted; else 1.
int ExitStatus(ErrorId id);

}  // namespace preon
