// MinMax: the extremes of everything that was observed (spec options §10.3).
#include "ranges/method_options.h"
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
    return {"CalibTensorRangeSymmetric=false: widen to [-a, a], a the larger of the two; short: symmetric",
            "CalibMovingAverage=false: mean of the samples' own extremes instead of the farthest"};
  }

  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const override {
    auto method = std::make_unique<MinMaxMethod>(*this);
    OptionReader reader(name(), options);
    reader.ReadSymmetric(&method->symmetric_);
    reader.Read("CalibMovingAverage", &method->average_);
    std::string constant;
    reader.Read("CalibMovingAverageConstant", &constant);
    if (!constant.empty()) {
      reader.Fail(Error(ErrorId::kNotYetSupported, name(),
                        ": option CalibMovingAverageConstant: an exponential average depends on the order of the "
                        "samples, statistics of them do not; wanted CalibMovingAverage alone, which takes their mean"));
    }
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery&) const override {
    PREON_ASSIGN_OR_RETURN(Range range, ObservedRange(sketch));
    if (average_) range = TypicalRange(range, sketch.mean_extremes());
    return symmetric_ ? Symmetric(range) : range;
  }

 private:
  bool symmetric_ = false;
  bool average_ = false;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeMinMaxMethod() { return std::make_unique<MinMaxMethod>(); }

}  // namespace preon
