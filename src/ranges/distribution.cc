// Distribution: mean and standard deviations of the distribution that fits better.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/optimal_clip.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

/// E|x - centre|.
double MeanAbsoluteDeviation(const Distribution& values, double centre) {
  double sum = 0;
  for (const auto& [low, high, count] : values.bins()) {
    const double below = centre - low, above = high - centre;
    // Evenly spread: two triangles where the centre lies inside.
    if (below > 0 && above > 0)
      sum += count * (below * below + above * above) / (2 * (high - low));
    else
      sum += count * std::abs((low + high) / 2 - centre);
  }
  return sum / values.count();
}

class DistributionMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "distribution"; }
  std::vector<std::string_view> aliases() const override {
    return {"CalibMethod.Distribution", "CalibrationMethod.Distribution"};
  }
  std::string_view summary() const override {
    return "mean plus and minus standard deviations, by a Gaussian or Laplace fit";
  }
  std::vector<std::string_view> option_help() const override {
    return {"Scenario=same: the only one in this version (p3 is for floating types)"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    OptionReader reader(name(), options);
    std::string scenario = "same";
    reader.Read("Scenario", &scenario);
    reader.Refuse("NumBins", "", "mean and deviation need no bins");
    reader.Refuse("symmetric", "", "the range lies around the mean");
    reader.Refuse("CalibTensorRangeSymmetric", "", "the range lies around the mean");
    if (scenario == "p3") {
      reader.Fail(Error(ErrorId::kNotYetSupported, name(), ": Scenario 'p3' is not in this version"));
    } else if (scenario != "same") {
      reader.Fail(Error(ErrorId::kBadOptionValue, name(), ": option Scenario: got '", scenario, "', wanted same"));
    }
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::make_unique<DistributionMethod>(*this));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_RETURN_IF_ERROR(NeedsIntegerCodes(name(), query));
    PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
    if (sketch.min() == sketch.max()) return observed;
    const double mean = sketch.mean(), deviation = std::sqrt(sketch.variance());
    // The likelier of the two: the log-likelihoods per value of the fits are -log(2 e b) with b = E|x - mean| and
    // -log(sqrt(2 π e) σ).
    const double b = MeanAbsoluteDeviation(Distribution::Signed(sketch), mean);
    const bool laplace = 2 * std::numbers::e * b < std::sqrt(2 * std::numbers::pi * std::numbers::e) * deviation;
    const double codes = static_cast<double>(query.format.q_max() - query.format.q_min() + 1);
    const double reach = deviation * (laplace ? OptimalLaplaceClip(codes) : OptimalGaussianClip(codes));
    const Range range{std::clamp(static_cast<float>(mean - reach), observed.min, 0.0f),
                      std::clamp(static_cast<float>(mean + reach), 0.0f, observed.max)};
    return range == Range{} ? observed : range;  // too small for a standard deviation
  }
};

}  // namespace

std::unique_ptr<RangeMethod> MakeDistributionMethod() { return std::make_unique<DistributionMethod>(); }

}  // namespace preon
