// CodeProblem: which integer codes of a layer's weights make its quadratic form least.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "solver/matrix.h"

namespace preon {

/// A weight is scale · code; codes count from the zero point.
struct CodeGrid {
  float scale = 1;
  float least = -128, most = 127;

  bool has_few_codes() const { return most - least < 31; }
};

/// One per output and, with blocks of inputs, per block.
struct CodeGrids {
  size_t inputs_per_grid = 1;
  size_t outputs = 0;
  std::vector<CodeGrid> grids;  ///< [ceil(inputs / inputs_per_grid), outputs]

  const CodeGrid& at(size_t input, size_t output) const { return grids[input / inputs_per_grid * outputs + output]; }
};

constexpr int kAnyCode = 1 << 16;  ///< steps that reach all

/// Which codes a weight may get.
struct CodeReach {
  bool two_sided = false;    ///< the two around the weight
  int steps = 1;             ///< else so many to each side of the nearest
  int shared_steps = 0;      ///< at least so many where a layer has one scale for all
  bool more_of_few = false;  ///< one step more where the grid has fewer than 32 codes
};

struct CodeProblem {
  const Matrix& curvature;  ///< [inputs, inputs], positive definite
  const Matrix& optimum;    ///< [inputs, outputs], where the form is 0
  const Matrix& weights;    ///< [inputs, outputs], what `reach` counts from
  const CodeGrids& grids;
  CodeReach reach;
  size_t reaching_all = std::numeric_limits<size_t>::max();  ///< inputs from this one on may get any code
};

}  // namespace preon
