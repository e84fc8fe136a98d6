// Makers of all targets; config/builtins.cc lists them.
#pragma once

#include <memory>

#include "quantize/plan/target.h"

namespace preon {

std::unique_ptr<Target> MakeOrtCpuTarget();
std::unique_ptr<Target> MakeSimulateTarget();
std::unique_ptr<Target> MakeQuarkTarget();
std::unique_ptr<Target> MakeOrtTarget();
std::unique_ptr<Target> MakeNpuCnnTarget();
std::unique_ptr<Target> MakeNpuTransformerTarget();
std::unique_ptr<Target> MakeMatMulNBitsTarget();
std::unique_ptr<Target> MakeDynamicTarget();
std::unique_ptr<Target> MakeTensorrtTarget();

}  // namespace preon
