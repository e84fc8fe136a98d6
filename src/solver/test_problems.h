// For tests: small problems with correlated inputs, and the best of all codes by trying them all.
#pragma once

#include <algorithm>
#include <functional>
#include <random>

#include "solver/code_panel.h"
#include "solver/code_problem.h"

namespace preon::test {

inline Matrix RandomMatrix(size_t rows, size_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  Matrix matrix(rows, columns);
  for (float& value : matrix.values()) value = normal(random);
  return matrix;
}

/// Rows of inputs that follow each other: x_i = 0.8 · x_(i-1) + noise, shifted off zero.
inline Matrix CorrelatedInputs(size_t places, size_t inputs, uint64_t seed) {
  Matrix x = RandomMatrix(places, inputs, seed);
  for (size_t p = 0; p < places; ++p) {
    for (size_t i = 1; i < inputs; ++i) x.at(p, i) = 0.8F * x.at(p, i - 1) + 0.6F * x.at(p, i);
  }
  for (float& value : x.values()) value += 0.5F;
  return x;
}

inline CodeGrids GridsOf(const Matrix& weights, float levels) {
  CodeGrids grids{.inputs_per_grid = weights.rows(), .outputs = weights.columns()};
  for (size_t j = 0; j < weights.columns(); ++j) {
    float largest = 0;
    for (size_t i = 0; i < weights.rows(); ++i) largest = std::max(largest, std::abs(weights.at(i, j)));
    grids.grids.push_back({.scale = largest / levels, .least = -levels - 1, .most = levels});
  }
  return grids;
}

/// The nearest codes of the weights.
inline Matrix NearestCodes(const Matrix& weights, const CodeGrids& grids) {
  Matrix codes(weights.rows(), weights.columns());
  for (size_t i = 0; i < codes.rows(); ++i) {
    for (size_t j = 0; j < codes.columns(); ++j) {
      const CodeGrid& grid = grids.at(i, j);
      codes.at(i, j) = NearestInteger(std::clamp(weights.at(i, j) / grid.scale, grid.least, grid.most));
    }
  }
  return codes;
}

inline double FormAt(const CodeProblem& problem, const std::vector<float>& codes, size_t output) {
  double form = 0;
  const auto error = [&](size_t i) {
    return double{problem.grids.at(i, output).scale} * double{codes[i]} - double{problem.optimum.at(i, output)};
  };
  for (size_t i = 0; i < codes.size(); ++i) {
    for (size_t j = 0; j < codes.size(); ++j) form += error(i) * double{problem.curvature.at(i, j)} * error(j);
  }
  return form;
}

/// The least form of one output over all codes that are allowed.
inline double LeastForm(const CodeProblem& problem, size_t output) {
  const size_t inputs = problem.weights.rows();
  std::vector<float> codes(inputs);
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(size_t)> choose = [&](size_t i) {
    if (i == inputs) {
      least = std::min(least, FormAt(problem, codes, output));
      return;
    }
    const CodeGrid& grid = problem.grids.at(i, output);
    const float exact = problem.weights.at(i, output) / grid.scale, nearest = std::nearbyint(exact);
    const auto steps = static_cast<float>(problem.reach.steps);
    const float from = problem.reach.two_sided ? std::floor(exact) : nearest - steps;
    const float to = problem.reach.two_sided ? std::ceil(exact) : nearest + steps;
    for (float code = from; code <= to; ++code) {
      if (code < grid.least || code > grid.most) continue;
      codes[i] = code;
      choose(i + 1);
    }
  };
  choose(0);
  return least;
}

inline std::vector<float> ColumnOf(const Matrix& matrix, size_t column) {
  std::vector<float> values(matrix.rows());
  for (size_t i = 0; i < values.size(); ++i) values[i] = matrix.at(i, column);
  return values;
}

}  // namespace preon::test
