// MinMax: the extremes of everything that was observed.
#include "ranges/method_options.h"
#include "ranges/moving_average.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

class MinMaxMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "minmax"; }
  std::vector<std::string_view> aliases() const override {
    return {"CalibMethod.MinMax", "CalibrationMethod.MinMax", "Int16Method.MinMax"};
  }
  std::string_view summary() const override { return "smallest and largest value observed"; }
  std::vector<std::string_view> option_help() const override {
    return {"CalibTensorRangeSymmetric=false: widen to [-a, a], where a is the larger end; also accepted: symmetric",
            "CalibMovingAverage=false: exponential average of the samples' own extremes, in the order of the data; "
            "GraphAware=true then, unless symmetric",
            "CalibMovingAverageConstant=0.01: weight of the newest sample in the average"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<MinMaxMethod>(*this);
    OptionReader reader(name(), options);
    reader.ReadSymmetric(&method->symmetric_);
    method->average_.Read(reader);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery&) const override {
    if (collects()) return NeedsValues(name());
    PREON_ASSIGN_OR_RETURN(const Range range, ObservedRange(sketch));
    return symmetric_ ? Symmetric(range) : range;
  }
  bool collects() const override { return average_.on; }
  Result<std::unique_ptr<RangeCollector>> Collect(const RangeQuery&) const override {
    return average_.Collect(symmetric_);
  }

 private:
  // An average lies inside of the values: it cuts scores and logits, and nothing behind them repairs that.
  bool graph_aware_by_default() const override { return average_.on && !symmetric_; }

  bool symmetric_ = false;
  MovingAverage average_;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeMinMaxMethod() { return std::make_unique<MinMaxMethod>(); }

}  // namespace preon
