#include <algorithm>
#include <functional>
#include <utility>

#include "eval/compare_models.h"

namespace preon {

std::vector<ClassDrop> WorstClasses(const std::map<int64_t, PairedCounts>& by_class) {
  constexpr int64_t kLeastLost = 2;
  constexpr size_t kMostClasses = 5;
  std::vector<ClassDrop> worst;
  for (const auto& [label, counts] : by_class)
    if (counts.first_only - counts.second_only >= kLeastLost) worst.push_back({label, counts});
  std::ranges::stable_sort(worst, std::greater(), [](const ClassDrop& drop) {
    return static_cast<double>(drop.counts.first_only - drop.counts.second_only) /
           static_cast<double>(drop.counts.all());
  });
  if (worst.size() > kMostClasses) worst.resize(kMostClasses);
  return worst;
}

bool SameOutputs(const Comparison& comparison) {
  return std::ranges::all_of(comparison.outputs, [](const auto& named) {
    const OutputComparison& output = named.second;
    return !output.left_out && output.max_abs == 0 && output.not_finite == 0;
  });
}

const OutputComparison* WorstOutput(const Comparison& comparison) {
  const OutputComparison* worst = nullptr;
  const auto order = [](const OutputComparison& one) { return std::pair(one.equal_share.has_value(), one.sqnr_db); };
  for (const auto& [name, output] : comparison.outputs) {
    if (!output.left_out && (worst == nullptr || order(output) < order(*worst))) worst = &output;
  }
  return worst;
}

double WorstSqnrDb(const Comparison& comparison) {
  const OutputComparison* worst = WorstOutput(comparison);
  return worst == nullptr ? kExactSqnrDb : worst->sqnr_db;
}

void TakeFigures(Comparison unseen, Comparison& comparison) {
  for (const auto& [name, of_one] : comparison.outputs) {
    OutputComparison& output = unseen.outputs[name];
    output.constant = of_one.constant;
    output.saturated_share = of_one.saturated_share;
  }
  comparison = std::move(unseen);
}

void WidenIntervals(const Comparison& seen, Comparison& comparison) {
  for (const auto& [name, of_seen] : seen.outputs) {
    OutputComparison& output = comparison.outputs[name];
    if (output.sqnr_interval) output.sqnr_interval = output.parts.OfSqnr(&of_seen.parts);
  }
}

}  // namespace preon
