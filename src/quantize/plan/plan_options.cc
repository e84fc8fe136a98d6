#include "quantize/plan/plan_options.h"

#include <algorithm>
#include <array>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

constexpr std::array kWeightForms = {std::pair(WeightForm::kPacked, "packed"), std::pair(WeightForm::kFolded, "folded"),
                                     std::pair(WeightForm::kOperators, "operators")};

}  // namespace

Result<WeightForm> ParseWeightForm(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [form, known] : kWeightForms) {
    if (ToLower(name) == known) return form;
    names.emplace_back(known);
  }
  return Error(ErrorId::kUnknownOption, "unknown form '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

std::string_view WeightFormName(WeightForm form) {
  return std::ranges::find(kWeightForms, form, &std::pair<WeightForm, const char*>::first)->second;
}

}  // namespace preon
