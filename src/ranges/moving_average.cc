#include "ranges/moving_average.h"

#include <algorithm>
#include <utility>

#include "ranges/percentile_range.h"

namespace preon {
namespace {

class MovingAverageCollector final : public RangeCollector {
 public:
  MovingAverageCollector(double constant, bool symmetric) : constant_(constant), symmetric_(symmetric) {}

  void Add(std::span<const float> sample) override {
    const auto [low, high] = std::minmax_element(sample.begin(), sample.end());
    if (!std::exchange(started_, true)) {
      min_ = *low;
      max_ = *high;
    }
    min_ += constant_ * (*low - min_);
    max_ += constant_ * (*high - max_);
  }

  Result<Range> Finish(const ValueReplay&) override {
    const Range range{std::min(static_cast<float>(min_), 0.0f), std::max(static_cast<float>(max_), 0.0f)};
    return symmetric_ ? Symmetric(range) : range;
  }

 private:
  double constant_;
  bool symmetric_, started_ = false;
  double min_ = 0, max_ = 0;
};

}  // namespace

void MovingAverage::Read(OptionReader& reader) {
  reader.Read("CalibMovingAverage", &on);
  const double usual = constant;
  reader.Read("CalibMovingAverageConstant", 0, 1, &constant);
  if (constant == 0)
    reader.Fail(
        Error(ErrorId::kBadOptionValue, "option CalibMovingAverageConstant: got 0, wanted a number above 0, up to 1"));
  if (!on && constant != usual)
    reader.Fail(Error(ErrorId::kConflictingOptions,
                      "option CalibMovingAverageConstant: has no effect without CalibMovingAverage"));
}

std::unique_ptr<RangeCollector> MovingAverage::Collect(bool symmetric) const {
  return std::make_unique<MovingAverageCollector>(constant, symmetric);
}

}  // namespace preon
