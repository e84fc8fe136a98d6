// The instruction sets that kernels are built for. Include before any Highway header.
#pragma once

// Kernels keep vectors in arrays, which sizeless (SVE, RVV) vectors can't be; those machines use NEON or scalar code.
// Processors with SSSE3 but not SSE4 are those of 2006 and 2007: scalar code serves them, and kernels compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
