// Distribution: mean and standard deviations of the distribution that fits better; for float8 the scale that gives
// values the standard deviation of the codes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "formats/linear_codec.h"
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

bool IsFloat8(DataType type) { return type == DataType::kFloat8E4M3FN || type == DataType::kFloat8E5M2; }

/// Mean of f over [low, high], where F is its antiderivative.
double MeanBetween(double low, double high, double (*f)(double), double (*antiderivative)(double)) {
  const double width = high - low;
  const bool narrow = width <= 1e-6 * std::max(std::abs(low), std::abs(high));
  return narrow ? f((low + high) / 2) : (antiderivative(high) - antiderivative(low)) / width;
}

/// Standard deviation of the cube roots, values spread evenly within the bins.
double CubeRootDeviation(const Distribution& values) {
  double sum = 0, squares = 0;
  for (const auto& [low, high, count] : values.bins()) {
    sum += count * MeanBetween(
                       low, high, [](double x) { return std::cbrt(x); },
                       [](double x) { return 0.75 * std::abs(x) * std::abs(std::cbrt(x)); });
    squares += count * MeanBetween(
                           low, high, [](double x) { return std::cbrt(x) * std::cbrt(x); },
                           [](double x) { return 0.6 * x * std::cbrt(x) * std::cbrt(x); });
  }
  const double mean = sum / values.count();
  return std::sqrt(std::max(0.0, squares / values.count() - mean * mean));
}

/// Of all finite values of a type with 256 codes, both zeros included.
double DeviationOfCodes(DataType type) {
  std::array<std::byte, 256> codes;
  std::array<float, 256> values;
  for (size_t code = 0; code < codes.size(); ++code) codes[code] = static_cast<std::byte>(code);
  const float one = 1;
  const Status decoded = DequantizeTensor({.type = type}, ParamLayout::PerTensor(std::ssize(codes)),
                                          {.scales = {&one, 1}}, codes.data(), values.data());
  PREON_CHECK(decoded.ok());
  double squares = 0, count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    squares += value * value;  // their mean is 0
    ++count;
  }
  return std::sqrt(squares / count);
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
    return {"Scenario=same: float8 scales by the deviation of the values; p3: of their cube roots"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    OptionReader reader(name(), options);
    std::string scenario = "same";
    reader.Read("Scenario", &scenario);
    reader.Refuse("NumBins", "", "mean and deviation need no bins");
    reader.Refuse("symmetric", "", "the range lies around the mean");
    reader.Refuse("CalibTensorRangeSymmetric", "", "the range lies around the mean");
    if (scenario != "same" && scenario != "p3")
      reader.Fail(
          Error(ErrorId::kBadOptionValue, name(), ": option Scenario: got '", scenario, "', wanted same or p3"));
    PREON_RETURN_IF_ERROR(reader.Finish());
    auto configured = std::make_unique<DistributionMethod>(*this);
    configured->cube_roots_ = scenario == "p3";
    return std::unique_ptr<RangeMethod>(std::move(configured));
  }

  Status CheckType(DataType activation) const override {
    if (!cube_roots_ || IsFloat8(activation)) return Status::Ok();
    return Error(ErrorId::kConflictingOptions, name(), ": Scenario p3 is for float8 types, got ",
                 DataTypeName(activation));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    const bool is_float8 = IsFloat8(query.format.type);
    if (!is_float8) PREON_RETURN_IF_ERROR(NeedsIntegerCodes(name(), query));
    PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
    if (sketch.min() == sketch.max()) return observed;
    if (is_float8) return RangeOfFloat8(sketch, observed, query.format);
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

 private:
  // The scale divides deviations, and the range is what the largest code then stands for, wherever the extremes lie.
  Result<Range> RangeOfFloat8(const TensorSketch& sketch, const Range& observed, const IntFormat& format) const {
    const double deviation =
        cube_roots_ ? CubeRootDeviation(Distribution::Signed(sketch)) : std::sqrt(sketch.variance());
    const auto reach =
        static_cast<float>(deviation / DeviationOfCodes(format.type) * static_cast<double>(format.q_max()));
    return reach > 0 && std::isfinite(reach) ? Range{-reach, reach} : observed;
  }

  bool cube_roots_ = false;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeDistributionMethod() { return std::make_unique<DistributionMethod>(); }

}  // namespace preon
