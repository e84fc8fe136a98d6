// MinMSE: the range whose quantization has the smallest mean square error.
#include <cmath>

#include "formats/power_of_two_search.h"
#include "ranges/clip_search.h"
#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/most_common_scale.h"
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
        "CalibTensorRangeSymmetric=false: for asymmetric types too: search one limit for |x|; also accepted: symmetric",
        "MinMSEModePof2Scale=All: for power-of-two scales. All: all values; Percentile: without outliers; "
        "MostCommon: each sample votes",
        "Percentile=99.999: percent of the values kept in mode Percentile"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<MinMseMethod>(*this);
    OptionReader reader(name(), options);
    reader.ReadSymmetric(&method->symmetric_);
    std::string mode = "all";
    reader.Read("MinMSEModePof2Scale", &mode);
    if (mode != "all" && mode != "percentile" && mode != "mostcommon") {
      reader.Fail(Error(ErrorId::kBadOptionValue, name(), ": option MinMSEModePof2Scale: got '", mode,
                        "', wanted All, Percentile or MostCommon"));
    }
    method->cuts_ = mode == "percentile";
    method->votes_ = mode == "mostcommon";
    reader.RefuseNumBins();
    reader.Read("Percentile", 0, 100, &method->percentile_);
    if (!method->cuts_ && method->percentile_ != percentile_) {
      reader.Fail(Error(ErrorId::kConflictingOptions, name(),
                        ": option Percentile: has no effect without MinMSEModePof2Scale=Percentile"));
    }
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_RETURN_IF_ERROR(CheckMode(query));
    if (votes_) return NeedsValues(name());
    PREON_ASSIGN_OR_RETURN(Range observed, ObservedRange(sketch));
    Distribution values = Distribution::Signed(sketch);
    if (cuts_) {
      PREON_ASSIGN_OR_RETURN(observed, PercentileRange(sketch, percentile_, symmetric_ || query.format.symmetric));
      values = values.Within(observed.min, observed.max);
    }
    PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(observed, query.format, query.scale_type));
    // What is left is rounding of the scale: a constant tensor, or one without a scale of its own.
    const double error = ExpectedQuantizationError(values, params, query.format, ErrorMetric::kMeanSquare);
    if (std::sqrt(error) <= 1e-5 * params.scale) return observed;
    if (query.scale_type == ScaleType::kPowerOfTwo) {
      return BestPowerOfTwoRange(params, query.format, [&](const QuantParams& tried) {
        return ExpectedQuantizationError(values, tried, query.format, ErrorMetric::kMeanSquare);
      });
    }
    return BestClip(sketch, values, observed, error, query);
  }

  bool collects() const override { return votes_; }
  Result<std::unique_ptr<RangeCollector>> Collect(const RangeQuery& query) const override {
    PREON_RETURN_IF_ERROR(CheckMode(query));
    return CollectMostCommonScale(query.format);
  }

 private:
  Status CheckMode(const RangeQuery& query) const {
    if ((!cuts_ && !votes_) || query.scale_type == ScaleType::kPowerOfTwo) return Status::Ok();
    return Error(ErrorId::kConflictingOptions, name(), ": MinMSEModePof2Scale '", cuts_ ? "Percentile" : "MostCommon",
                 "': only with power-of-two scales; wanted --scale-type power-of-two");
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
    if (query.format.floating()) {
      // A clip costs or saves little where steps grow with the values: a coarse search finds what there is.
      for (double octaves = 0.25; octaves <= 12; octaves += 0.25) {
        const auto share = static_cast<float>(std::exp2(-octaves));
        take_if_better({share * observed.min, share * observed.max}, 0.995);
      }
    } else if (query.format.q_max() - query.format.q_min() < kMostCodesSearched) {
      take_if_better(SearchClip(SquareError(values), observed, query, symmetric_ || query.format.symmetric), 0.995);
    }
    return best;
  }

  bool symmetric_ = false;
  bool cuts_ = false;   ///< power-of-two scales: the error over the values that percentile_ keeps
  bool votes_ = false;  ///< power-of-two scales: that of most samples
  double percentile_ = 99.999;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeMinMseMethod() { return std::make_unique<MinMseMethod>(); }

}  // namespace preon
