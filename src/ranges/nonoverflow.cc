// NonOverflow: the observed range, symmetric, and a power-of-two scale that covers it (Quark's
// PowerOfTwoMethod.NonOverflow).
#include "ranges/covering_range.h"
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

class NonOverflowMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "nonoverflow"; }
  std::vector<std::string_view> aliases() const override { return {"PowerOfTwoMethod.NonOverflow"}; }
  std::string_view summary() const override {
    return "symmetric minmax; a power-of-two scale is rounded up, so that nothing saturates";
  }
  std::vector<std::string_view> option_help() const override {
    return {"CalibTensorRangeSymmetric=true: widen to [-a, a], where a is the larger end; also accepted: symmetric"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<NonOverflowMethod>(*this);
    OptionReader reader(name(), options);
    reader.ReadSymmetric(&method->symmetric_);
    reader.Refuse("CalibMovingAverage", "false", "an average of extremes saturates; wanted method minmax");
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_ASSIGN_OR_RETURN(Range range, ObservedRange(sketch));
    if (symmetric_) range = Symmetric(range);
    return CoveringRange(range, query);
  }

 private:
  bool symmetric_ = true;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeNonOverflowMethod() { return std::make_unique<NonOverflowMethod>(); }

}  // namespace preon
