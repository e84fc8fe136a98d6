// Compiled with -mavx2 -mfma where the compiler knows them (CMakeLists.txt).
#ifdef __AVX2__
#define Eigen EigenOfAvx2
#include "solver/dense-inl.h"
#else
#include "solver/dense_set.h"
#endif

namespace preon {

const DenseSet* Avx2DenseSet() {
#ifdef __AVX2__
  return &kDenseSet;
#else
  return nullptr;
#endif
}

}  // namespace preon
