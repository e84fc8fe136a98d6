// Auto: the rule that a tensor's outlier ratio calls for, with power-of-two scales the one with the least error.
// `quantize` measures candidates with samples instead (search/choose_method.h).
#include <array>

#include "ranges/method_options.h"
#include "ranges/outlier_rule.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

std::shared_ptr<const RangeMethod> MethodFor(Outliers outliers) {
  const auto configured = [&](const std::unique_ptr<RangeMethod>& method) {
    return *method->WithOptions(AdviceFor(outliers).options);
  };
  switch (outliers) {
    case Outliers::kNone:
      return configured(MakeMinMaxMethod());
    case Outliers::kFew:
      return configured(MakePercentileMethod());
    case Outliers::kMany:
      return configured(MakeLayerwisePercentileMethod());
  }
  PREON_CHECK(false);
}

class AutoMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "chooses by each tensor's outliers; quantize tries several methods and keeps the one nearest to float";
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    OptionReader reader(name(), options);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::make_unique<AutoMethod>(*this));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_RETURN_IF_ERROR(ObservedRange(sketch).status());
    // So few scales are possible that the best can be found, and that of any other range may cut off a third of it.
    if (query.scale_type == ScaleType::kPowerOfTwo) return few_scales_->Choose(sketch, query);
    const Outliers outliers = ClassifyOutliers(OutlierRatio(Distribution::Absolute(sketch)));
    return methods_[static_cast<size_t>(outliers)]->Choose(sketch, query);
  }

 private:
  bool graph_aware_by_default() const override { return true; }

  std::shared_ptr<const RangeMethod> few_scales_ = MakeMinMseMethod();
  std::array<std::shared_ptr<const RangeMethod>, kOutlierClasses> methods_ = {
      MethodFor(Outliers::kNone), MethodFor(Outliers::kFew), MethodFor(Outliers::kMany)};
};

}  // namespace

std::unique_ptr<RangeMethod> MakeAutoMethod() { return std::make_unique<AutoMethod>(); }

}  // namespace preon
