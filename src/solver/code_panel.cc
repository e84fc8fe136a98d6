#include "solver/code_panel.h"

#include <algorithm>
#include <cmath>

namespace preon {

CodePanel MakePanel(const CodeProblem& problem) {
  constexpr float kBeyondAllCodes = 1 << 20;
  const size_t inputs = problem.weights.rows(), outputs = problem.weights.columns();
  CodePanel panel;
  for (Matrix* matrix : {&panel.optimum, &panel.scale, &panel.least, &panel.most, &panel.code})
    *matrix = Matrix(inputs, outputs);
  for (size_t i = 0; i < inputs; ++i) {
    for (size_t j = 0; j < outputs; ++j) {
      const CodeGrid& grid = problem.grids.at(i, j);
      const float exact = std::clamp(problem.weights.at(i, j) / grid.scale, -kBeyondAllCodes, kBeyondAllCodes);
      const float nearest = NearestInteger(exact);
      const bool few = problem.reach.more_of_few && grid.has_few_codes();
      const bool all = i >= problem.reaching_all, two_sided = problem.reach.two_sided && !all;
      const auto steps = static_cast<float>(all ? kAnyCode : problem.reach.steps + (few ? 1 : 0));
      const float least = two_sided ? std::floor(exact) : nearest - steps;
      const float most = two_sided ? std::ceil(exact) : nearest + steps;
      panel.optimum.at(i, j) = problem.optimum.at(i, j);
      panel.scale.at(i, j) = grid.scale;
      panel.least.at(i, j) = std::clamp(least, grid.least, grid.most);
      panel.most.at(i, j) = std::clamp(most, grid.least, grid.most);
      panel.code.at(i, j) = std::clamp(nearest, grid.least, grid.most);
    }
  }
  return panel;
}

}  // namespace preon
