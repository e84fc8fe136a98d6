#include "report/pareto_front.h"

#include <algorithm>

namespace preon {

std::vector<bool> OnParetoFront(const std::vector<ValidatedModel>& models) {
  const auto beats = [](const ValidatedModel& a, const ValidatedModel& b) {
    const double a_db = WorstSqnrDb(a.compare), b_db = WorstSqnrDb(b.compare);
    const bool is_as_good = a.failed.empty() && a.size_bytes <= b.size_bytes && a_db >= b_db;
    return is_as_good && (a.size_bytes < b.size_bytes || a_db > b_db);
  };
  std::vector<bool> on_front;
  for (const ValidatedModel& model : models)
    on_front.push_back(model.failed.empty() &&
                       std::ranges::none_of(models, [&](const ValidatedModel& other) { return beats(other, model); }));
  return on_front;
}

}  // namespace preon
