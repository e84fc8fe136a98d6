// The error of a .calib file that does not hold what its format says.
#pragma once

#include <string_view>

#include "base/status.h"

namespace preon {

inline Status Malformed(std::string_view why) {
  return Error(ErrorId::kCalibFileMalformed, why, ": the file is damaged");
}

}  // namespace preon
