// For tests: runs a body once per instruction set that the machine has.
#pragma once

#include <string>

#include "kernels/highway_targets.h"
#include "hwy/highway.h"

namespace preon {

/// Calls body(name) with every kernel switched to one instruction set after the other, scalar included; then back.
template <typename Body>
void ForEachKernelTarget(Body body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(std::string(hwy::TargetName(target)));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace preon
