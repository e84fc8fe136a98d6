#include "algorithms/algorithms.h"

namespace preon {

AlgorithmRegistry MakeAlgorithms() {
  AlgorithmRegistry algorithms("algorithm");
#define PREON_ALGORITHM(name) algorithms.Add(Make##name##Algorithm());
#include "algorithms/algorithms.inc"
#undef PREON_ALGORITHM
  return algorithms;
}

}  // namespace preon
