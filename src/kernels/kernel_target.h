// Which instruction set the kernels use.
#pragma once

#include <string_view>

namespace preon {

/// Highway's name of the chosen instruction set ("AVX3", "AVX2", "NEON", "SCALAR" …).
std::string_view KernelTargetName();

}  // namespace preon
