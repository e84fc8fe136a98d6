#include "eval/told_apart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/values.h"

namespace preon {
namespace {

double Entropy(const std::vector<double>& probabilities) {
  double entropy = 0;
  for (const double p : probabilities) entropy -= p > 0 ? p * std::log(p) : 0;
  return entropy;
}

}  // namespace

void ClassScores::Add(const Tensor& scores) {
  std::vector<double>& row = probabilities.emplace_back(ToDoubles(scores));
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (std::ranges::min(row) >= 0 && std::abs(sum - 1) < 1e-3) return;  // a softmax was there
  const double top = std::ranges::max(row);
  double total = 0;
  for (double& value : row) total += value = std::exp(value - top);
  for (double& value : row) value /= total;
}

double ClassScores::ClassesToldApart() const {
  std::vector<double> mean(probabilities.front().size());
  double own = 0;
  const auto samples = static_cast<double>(probabilities.size());
  for (const std::vector<double>& row : probabilities) {
    own += Entropy(row) / samples;
    for (size_t each = 0; each < row.size(); ++each) mean[each] += row[each] / samples;
  }
  return std::exp(Entropy(mean) - own);
}

double ClassScores::Agreement(const ClassScores& other) const {
  double same = 0;
  for (size_t sample = 0; sample < probabilities.size(); ++sample)
    same += ArgMax(probabilities[sample]) == ArgMax(other.probabilities[sample]);
  return same / static_cast<double>(probabilities.size());
}

}  // namespace preon
