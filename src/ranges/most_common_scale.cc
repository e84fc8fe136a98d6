#include "ranges/most_common_scale.h"

#include <algorithm>
#include <map>

#include "formats/power_of_two_search.h"
#include "formats/scale_type.h"

namespace preon {
namespace {

double SquareErrorOf(std::span<const float> values, const QuantParams& params, const IntFormat& format) {
  double sum = 0;
  for (const float value : values) {
    const double code = EncodeValue(value, params, format);
    const double error = value - double{params.scale} * (code - params.zero_point);
    sum += error * error;
  }
  return sum;
}

class MostCommonScale final : public RangeCollector {
 public:
  explicit MostCommonScale(const IntFormat& format) : format_(format) {}

  void Add(std::span<const float> sample) override {
    const auto [low, high] = std::minmax_element(sample.begin(), sample.end());
    const Range observed{std::min(*low, 0.0f), std::max(*high, 0.0f)};
    if (observed == Range{}) return;
    const QuantParams params = *ComputeQuantParams(observed, format_, ScaleType::kPowerOfTwo);
    const Range best = BestPowerOfTwoRange(
        params, format_, [&](const QuantParams& tried) { return SquareErrorOf(sample, tried, format_); });
    ++votes_[best.max].count;
    votes_[best.max].range = best;
  }

  Result<Range> Finish(const ValueReplay&) override {
    const auto most = std::ranges::max_element(votes_, {}, [](const auto& entry) { return entry.second.count; });
    return most == votes_.end() ? Range{} : most->second.range;
  }

 private:
  struct Votes {
    int64_t count = 0;
    Range range;  // of all codes: the same for the same scale, as the zero point is
  };
  IntFormat format_;
  std::map<float, Votes> votes_;  // by the end of the range, so by scale, ascending
};

}  // namespace

Result<std::unique_ptr<RangeCollector>> CollectMostCommonScale(const IntFormat& format) {
  if (!format.symmetric) {
    return Error(
        ErrorId::kConflictingOptions,
        "minmse: MinMSEModePof2Scale 'MostCommon': for symmetric types only; wanted --symmetric or another mode");
  }
  return std::unique_ptr<RangeCollector>(std::make_unique<MostCommonScale>(format));
}

}  // namespace preon
