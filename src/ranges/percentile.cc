// Percentile: leaves out a fixed small share of the values.
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

class PercentileMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "percentile"; }
  std::vector<std::string_view> aliases() const override {
    return {"CalibMethod.Percentile", "CalibrationMethod.Percentile"};
  }
  std::string_view summary() const override { return "range that keeps a share of the values; outliers saturate"; }
  std::vector<std::string_view> option_help() const override {
    return {
        "Percentile=99.999: percent of the values to keep",
        "CalibTensorRangeSymmetric=true: cut by |x|; false: cut the same share at each end; also accepted: symmetric"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<PercentileMethod>(*this);
    OptionReader reader(name(), options);
    reader.Read("Percentile", 0, 100, &method->percentile_);
    reader.RefuseNumBins();
    reader.ReadSymmetric(&method->symmetric_);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery&) const override {
    return PercentileRange(sketch, percentile_, symmetric_);
  }

 private:
  double percentile_ = 99.999;
  bool symmetric_ = true;
};

}  // namespace

std::unique_ptr<RangeMethod> MakePercentileMethod() { return std::make_unique<PercentileMethod>(); }

}  // namespace preon
