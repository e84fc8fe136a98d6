#include "formats/weight_rule.h"

#include <algorithm>

#include "base/spelling.h"
#include "formats/axis_view.h"
#include "formats/weight_search.h"

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

constexpr Names<WeightMethod, 2> kMethods = {{{WeightMethod::kMinMax, "minmax"}, {WeightMethod::kMinMse, "minmse"}}};
constexpr Names<WeightSearch, 3> kSearches = {{{WeightSearch::kAll, "All"},
                                               {WeightSearch::kPercentile, "Percentile"},
                                               {WeightSearch::kHistCenter, "HistCenter"}}};

}  // namespace

Result<WeightMethod> ParseWeightMethod(std::string_view name) { return kMethods.Parse("weight method", name); }
std::vector<std::string> WeightMethodNames() { return kMethods.All(); }
std::string_view WeightMethodName(WeightMethod method) { return kMethods.rows[static_cast<size_t>(method)].second; }
Result<WeightSearch> ParseWeightSearch(std::string_view name) { return kSearches.Parse("weight search", name); }
std::vector<std::string> WeightSearchNames() { return kSearches.All(); }

Result<std::vector<Range>> CalibrateWeight(const Tensor& values, int axis, const IntFormat& format,
                                           ScaleType scale_type, const WeightRule& rule) {
  PREON_ASSIGN_OR_RETURN(std::vector<Range> ranges, WeightRanges(values, axis));
  if (rule.method_for(scale_type) == WeightMethod::kMinMax || values.count() == 0) return ranges;
  if (format.q_max() - format.q_min() > UINT16_MAX) {  // nothing to gain but what the nearest power of two cuts off
    for (Range& range : ranges) {
      if (scale_type != ScaleType::kPowerOfTwo) break;
      PREON_ASSIGN_OR_RETURN(QuantParams params, ComputeQuantParams(range, format));
      params.scale = RoundScaleUp(params.scale, scale_type);
      range = RepresentableRange(params, format);
    }
    return ranges;
  }
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  const std::span<const float> all = values.floats();
  std::vector<float> channel_values(static_cast<size_t>(view.outer * view.inner));
  for (int64_t channel = 0; channel < view.channels; ++channel) {
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      const auto from = static_cast<size_t>((outer * view.channels + channel) * view.inner);
      std::ranges::copy(all.subspan(from, static_cast<size_t>(view.inner)), &channel_values[outer * view.inner]);
    }
    ranges[channel] =
        LeastErrorRange(channel_values, ranges[channel], format, scale_type, rule.search.value_or(WeightSearch::kAll));
  }
  return ranges;
}

}  // namespace preon
