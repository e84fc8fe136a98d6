// MinMSE: the range whose quantization has the smallest mean square error (spec options §10.6a, §10.7b).
#include <cfloat>
#include <cmath>
#include <limits>

#include "ranges/clip_search.h"
#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

/// Formats with more codes are finer than what SquareError resolves, and have nothing to gain from a search.
constexpr int64_t kMostCodesSearched = 1 << 16;

class MinMseMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "minmse"; }
  std::vector<std::string_view> aliases() const override {
    return {"CalibMethod.MinMSE", "PowerOfTwoMethod.MinMSE", "ExtendedCalibrationMethod.MinMSE"};
  }
  std::string_view summary() const override { return "range with the smallest mean square quantization error"; }
  std::vector<std::string_view> option_help() const override {
    return {
        "CalibTensorRangeSymmetric=false: search one clip of |x| for types that are not symmetric, too; short: "
        "symmetric",
        "MinMSEModePof2Scale=All: power-of-two scales: error over all values; MostCommon is not in this version"};
  }

  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const override {
    auto method = std::make_unique<MinMseMethod>(*this);
    OptionReader reader(name(), options);
    reader.ReadSymmetric(&method->symmetric_);
    std::string mode = "all";
    reader.Read("MinMSEModePof2Scale", &mode);
    if (mode == "mostcommon") {
      reader.Fail(
          Error(ErrorId::kNotYetSupported, name(), ": MinMSEModePof2Scale 'MostCommon' is not in this version"));
    } else if (mode != "all") {
      reader.Fail(
          Error(ErrorId::kBadOptionValue, name(), ": option MinMSEModePof2Scale: got '", mode, "', wanted All"));
    }
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
    const Distribution values = Distribution::Signed(sketch);
    PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(observed, query.format, query.scale_type));
    // What is left is rounding of the scale: a constant tensor, or one without a scale of its own.
    const double error = ExpectedQuantizationError(values, params, query.format, ErrorMetric::kMeanSquare);
    if (std::sqrt(error) <= 1e-5 * params.scale) return observed;
    if (query.scale_type == ScaleType::kPowerOfTwo) return BestPowerOfTwo(values, params, query.format);
    return BestClip(sketch, values, observed, error, query);
  }

 private:
  /// Scales 2s, s, s/2, s/4 and s/8 around that of the observed range, zero point as there; ties go to the larger. The
  /// range is all that the codes represent, which leads back to the same scale and may exceed what was observed.
  static Range BestPowerOfTwo(const Distribution& values, const QuantParams& observed, const IntFormat& format) {
    QuantParams best = observed;
    double smallest = std::numeric_limits<double>::infinity();
    for (float factor : {2.0f, 1.0f, 0.5f, 0.25f, 0.125f}) {
      const QuantParams params{observed.scale * factor, observed.zero_point};
      const Range range = RepresentableRange(params, format);
      if (params.scale < FLT_MIN || !std::isfinite(range.max - range.min)) continue;  // no range leads to these
      const double error = ExpectedQuantizationError(values, params, format, ErrorMetric::kMeanSquare);
      if (error < smallest) {
        smallest = error;
        best = params;
      }
    }
    return RepresentableRange(best, format);
  }

  /// The best of [min, max] and the percentiles that other methods would take, so that none of them is better; and what
  /// a search finds if that is better by more than histograms of samples can tell.
  Range BestClip(const TensorSketch& sketch, const Distribution& values, const Range& observed, double observed_error,
                 const RangeQuery& query) const {
    const Distribution magnitudes = Distribution::Absolute(sketch);
    Range best = observed;
    double smallest = observed_error;
    const auto take_if_better = [&](const Range& range, double share) {
      const Result<QuantParams> params = ComputeQuantParams(range, query.format, query.scale_type);
      const double error = ExpectedQuantizationError(values, *params, query.format, ErrorMetric::kMeanSquare);
      if (error >= share * smallest) return;
      smallest = error;
      best = range;
    };
    for (double percentile : {99.99, 99.999, 99.99999})
      take_if_better(PercentileRange(observed, magnitudes, percentile, true), 1);
    if (query.format.q_max() - query.format.q_min() < kMostCodesSearched) {
      take_if_better(SearchClip(SquareError(values), observed, query, symmetric_ || query.format.symmetric), 0.995);
    }
    return best;
  }

  bool symmetric_ = false;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeMinMseMethod() { return std::make_unique<MinMseMethod>(); }

}  // namespace preon
