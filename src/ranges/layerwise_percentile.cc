// LayerwisePercentile: per tensor the percentile whose range quantizes it with the smallest error.
#include <limits>

#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

class LayerwisePercentileMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "layerwise-percentile"; }
  std::vector<std::string_view> aliases() const override {
    return {"lwp", "LayerwisePercentile", "CalibMethod.LayerwisePercentile", "LayerWiseMethod.LayerWisePercentile"};
  }
  std::string_view summary() const override {
    return "for each tensor the percentile with the smallest quantization error";
  }
  std::vector<std::string_view> option_help() const override {
    return {"PercentileCandidates=99.99,99.999,99.99999: percentiles to try",
            "LWPMetric=mae: error to minimize: mae, mse or cos (cosine distance)",
            "LWPUseHistogram=true: false: the error counts every value, as with --exact",
            "CalibTensorRangeSymmetric=true: as for percentile; also accepted: symmetric"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<LayerwisePercentileMethod>(*this);
    OptionReader reader(name(), options);
    reader.Read("PercentileCandidates", 0, 100, &method->candidates_);
    reader.ReadSymmetric(&method->symmetric_);
    reader.RefuseNumBins();
    reader.Read("LWPUseHistogram", &method->use_histogram_);
    std::string metric = "mae";
    reader.Read("LWPMetric", &metric);
    if (metric != "mae" && metric != "mse" && metric != "cos") {
      reader.Fail(
          Error(ErrorId::kBadOptionValue, name(), ": option LWPMetric: got '", metric, "', wanted mae, mse or cos"));
    }
    method->metric_ = metric == "mae"   ? ErrorMetric::kMeanAbsolute
                      : metric == "mse" ? ErrorMetric::kMeanSquare
                                        : ErrorMetric::kCosine;
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  bool wants_every_value() const override { return !use_histogram_; }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
    const Distribution values = Distribution::Signed(sketch);
    const Distribution of_percentiles = symmetric_ ? Distribution::Absolute(sketch) : values;
    double smallest = std::numeric_limits<double>::infinity();
    Range best;
    for (double percentile : candidates_) {
      const Range range = PercentileRange(observed, of_percentiles, percentile, symmetric_);
      PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(range, query.format, query.scale_type));
      const double error = ExpectedQuantizationError(values, params, query.format, metric_);
      if (error < smallest) {  // a tie goes to the earlier candidate
        smallest = error;
        best = range;
      }
    }
    return best;
  }

 private:
  std::vector<double> candidates_ = {99.99, 99.999, 99.99999};
  ErrorMetric metric_ = ErrorMetric::kMeanAbsolute;
  bool symmetric_ = true, use_histogram_ = true;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeLayerwisePercentileMethod() { return std::make_unique<LayerwisePercentileMethod>(); }

}  // namespace preon
