// Sample extremes: what a typical sample reaches, not what the most extreme one does.

#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

class SampleExtremesMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "sample-extremes"; }
  std::string_view summary() const override { return "median or mean of the samples' own minima and maxima"; }
  std::vector<std::string_view> option_help() const override {
    return {"Statistic=median: median or mean over the samples"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<SampleExtremesMethod>(*this);
    OptionReader reader(name(), options);
    std::string statistic = "median";
    reader.Read("Statistic", &statistic);
    if (statistic != "median" && statistic != "mean") {
      reader.Fail(
          Error(ErrorId::kBadOptionValue, name(), ": option Statistic: got '", statistic, "', wanted median or mean"));
    }
    method->mean_ = statistic == "mean";
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery&) const override {
    PREON_ASSIGN_OR_RETURN(const Range all, ObservedRange(sketch));
    return TypicalRange(all, mean_ ? sketch.mean_extremes() : sketch.median_extremes());
  }

 private:
  bool mean_ = false;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeSampleExtremesMethod() { return std::make_unique<SampleExtremesMethod>(); }

}  // namespace preon
