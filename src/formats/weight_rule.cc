#include "formats/weight_rule.h"

#include "base/spelling.h"

namespace preon {
namespace {

template <typename Value, size_t kCount>
struct Names {
  std::pair<Value, std::string_view> rows[kCount];

  std::vector<std::string> All() const {
    std::vector<std::string> names;
    for (const auto& row : rows) names.emplace_back(row.second);
    return names;
  }
  Result<Value> Parse(std::string_view what, std::string_view text) const {
    const size_t dot = text.rfind('.');
    const std::string wanted = ToLower(dot == std::string_view::npos ? text : text.substr(dot + 1));
    for (const auto& [value, name] : rows) {
      if (wanted == ToLower(name)) return value;
    }
    return Error(ErrorId::kUnknownOption, "unknown ", what, " '", text, "'", DidYouMean(text, All()),
                 " (known: ", JoinNames(All()), ")");
  }
};

constexpr Names<WeightMethod, 3> kMethods = {
    {{WeightMethod::kMinMax, "minmax"}, {WeightMethod::kMinMse, "minmse"}, {WeightMethod::kHqq, "hqq"}}};
constexpr Names<WeightSearch, 3> kSearches = {{{WeightSearch::kAll, "All"},
                                               {WeightSearch::kPercentile, "Percentile"},
                                               {WeightSearch::kHistCenter, "HistCenter"}}};

}  // namespace

Result<WeightMethod> ParseWeightMethod(std::string_view name) { return kMethods.Parse("weight method", name); }
std::vector<std::string> WeightMethodNames() { return kMethods.All(); }
std::string_view WeightMethodName(WeightMethod method) { return kMethods.rows[static_cast<size_t>(method)].second; }
Result<WeightSearch> ParseWeightSearch(std::string_view name) { return kSearches.Parse("weight search", name); }
std::vector<std::string> WeightSearchNames() { return kSearches.All(); }

}  // namespace preon
