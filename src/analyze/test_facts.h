// Facts that the tests of this folder ask of a sketch.
#pragma once

#include "analyze/value_facts.h"

namespace preon::test {

inline ValueFacts FactsOf(const TensorSketch& sketch) {
  return preon::FactsOf(sketch, Distribution::Signed(sketch), Distribution::Absolute(sketch));
}

}  // namespace preon::test
