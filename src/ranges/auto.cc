// Auto: the rule that a tensor's outlier ratio calls for (spec quality §2). `quantize` tries whole policies besides.
#include <algorithm>

#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

// Largest |x| over the 99th percentile of |x|: up to here nothing is an outlier, …
constexpr double kNoOutliers = 3;
// … up to here cutting off one value in 10000 is enough. Beyond, the error decides.
constexpr double kFewOutliers = 10;

// Of these percentiles the one with the least square error.
std::unique_ptr<RangeMethod> MakeLeastErrorMethod() {
  return *MakeLayerwisePercentileMethod()->WithOptions(
      {{"PercentileCandidates", "99,99.5,99.9,99.95,99.99,99.995,99.999,100"}, {"LWPMetric", "mse"}});
}

class AutoMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "by each tensor's outliers; quantize tries several methods and keeps the nearest to float";
  }

  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const override {
    OptionReader reader(name(), options);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::make_unique<AutoMethod>(*this));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_ASSIGN_OR_RETURN(const Range all, ObservedRange(sketch));
    const double usual = Distribution::Absolute(sketch).Quantile(0.99);
    const double largest = std::max(-all.min, all.max);
    if (largest <= kNoOutliers * usual) return all;
    if (largest <= kFewOutliers * usual) return PercentileRange(sketch, 99.99, /*symmetric=*/true);
    return least_error_->Choose(sketch, query);
  }

 private:
  std::shared_ptr<const RangeMethod> least_error_ = MakeLeastErrorMethod();
};

}  // namespace

std::unique_ptr<RangeMethod> MakeAutoMethod() { return std::make_unique<AutoMethod>(); }

}  // namespace preon
