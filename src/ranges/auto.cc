// Auto: the rule that a tensor's outlier ratio calls for (spec quality §2). `quantize` tries whole policies besides.
#include <array>
#include <limits>

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
constexpr std::array kShares = {99.0, 99.5, 99.9, 99.95, 99.99, 99.995, 99.999, 100.0};

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
    const Distribution values = Distribution::Signed(sketch);
    double smallest = std::numeric_limits<double>::infinity();
    Range best = all;
    for (const double share : kShares) {
      PREON_ASSIGN_OR_RETURN(const Range range, PercentileRange(sketch, share, /*symmetric=*/true));
      PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(range, query.format, query.scale_type));
      const double error = ExpectedQuantizationError(values, params, query.format, ErrorMetric::kMeanSquare);
      if (error >= smallest) continue;
      smallest = error;
      best = range;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<RangeMethod> MakeAutoMethod() { return std::make_unique<AutoMethod>(); }

}  // namespace preon
