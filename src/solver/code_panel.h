// Inside solver/: a CodeProblem, with all that depends on the output in arrays of its own.
#pragma once

#include "solver/code_problem.h"

namespace preon {

/// All [inputs, outputs of the panel].
struct CodePanel {
  Matrix optimum, scale;
  Matrix least, most;  ///< codes that are allowed
  Matrix code;         ///< the nearest at first

  size_t inputs() const { return code.rows(); }
  size_t outputs() const { return code.columns(); }
};

/// To the nearest integer, halves to even; |value| < 2^22. Branch-free, so that loops over it become vectors.
inline float NearestInteger(float value) {
  constexpr float kShift = 12582912;  // 1.5 · 2^23
  return (value + kShift) - kShift;
}

CodePanel MakePanel(const CodeProblem& problem);

}  // namespace preon
