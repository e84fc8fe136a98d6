// DefaultFloatEnv: IEEE arithmetic with denormals, whatever the thread was set to.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace preon {

/// While alive, this thread rounds to nearest and keeps denormals. A library built with -ffast-math, or the runtime's
/// denormal option, may have switched a thread to flush-to-zero; sketches of the same values would then differ.
class DefaultFloatEnv {
 public:
#if defined(__SSE2__)
  DefaultFloatEnv() : saved_(_mm_getcsr()) {
    if (saved_ != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultFloatEnv() {
    if (saved_ != kDefault) _mm_setcsr(saved_);
  }
#else
  DefaultFloatEnv() {
    std::feholdexcept(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnv() { std::fesetenv(&saved_); }
#endif
  DefaultFloatEnv(const DefaultFloatEnv&) = delete;
  DefaultFloatEnv& operator=(const DefaultFloatEnv&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, round to nearest, no flushing
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace preon
