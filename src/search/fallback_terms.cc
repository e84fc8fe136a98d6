#include "search/fallback_terms.h"

#include <algorithm>

#include "base/str_cat.h"
#include "report/text_writer.h"

namespace preon {
namespace {

constexpr double kDbForAll = 100, kDbForAllOfPoor = 30;  // what all of the time would have to bring: 1 dB for 1 %
constexpr double kLeastGroupDb = 0.3;

}  // namespace

FallbackTerms FallbackTerms::Of(double sqnr_db, std::optional<double> budget) {
  const bool poor = sqnr_db < kPoorDb;
  return {budget.value_or(poor ? kBudgetOfPoor : kBudget), poor ? kEnoughOfPoorDb - sqnr_db : 0};
}

double FallbackTerms::Worth(double gain_db) const {
  const double of_poor = std::clamp(gain_db, 0.0, missing_db);
  return of_poor / kDbForAllOfPoor + (gain_db - of_poor) / kDbForAll;
}

bool FallbackTerms::Pays(double gain_db, double cost) const {
  return gain_db >= kLeastGroupDb && cost <= Worth(gain_db);
}

std::string FallbackTerms::Text() const {
  const std::string of_poor = missing_db > 0 ? StrCat(" (below ", kEnoughOfPoorDb, " dB: for each ",
                                                      FigureText(100 / kDbForAllOfPoor, "%.1f"), " %)")
                                             : "";
  return StrCat("it must gain at least ", kLeastGroupDb, " dB, and 1 dB for each ", 100 / kDbForAll, " % of the time",
                of_poor, ", and take at most ", FigureText(100 * budget, "%.4g"), " % of the time");
}

}  // namespace preon
