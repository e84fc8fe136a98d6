#include "ranges/refine/activation_aware_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ranges/histogram_math.h"

namespace preon {
namespace {

constexpr int kSteps = 24;
constexpr int64_t kMostCodes = 1 << 12;
constexpr double kWorthwhileErrorShare = 0.995;

// The values behind the function, one per bin.
class ErrorBehind {
 public:
  ErrorBehind(double (*f)(double), const Distribution& values, const RangeQuery& query) : f_(f), query_(query) {
    for (const Distribution::Bin& bin : values.bins()) {
      const double x = (bin.low + bin.high) / 2;
      bins_.push_back({x, f(x), bin.count});
    }
  }

  /// Σ count · (f(x) - f(x'))².
  Result<double> Of(const Range& range) const {
    PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(range, query_.format, query_.scale_type));
    const CodeRange codes = CodesInUse(params, query_.format);
    std::vector<double> behind;
    for (int64_t code = codes.min; code <= codes.max; ++code)
      behind.push_back(f_(params.scale * (static_cast<double>(code) - params.zero_point)));
    double error = 0;
    for (const auto& [x, y, count] : bins_) {
      const double code = std::nearbyint(x / params.scale) + params.zero_point;
      const auto index = static_cast<size_t>(std::clamp<double>(code, codes.min, codes.max) - codes.min);
      error += count * (y - behind[index]) * (y - behind[index]);
    }
    return error;
  }

 private:
  struct Value {
    double x, y, count;
  };
  double (*f_)(double);
  RangeQuery query_;
  std::vector<Value> bins_;
};

}  // namespace

Result<Range> ActivationAwareRange(ReadActivation activation, const TensorSketch& sketch, const Range& range,
                                   const RangeQuery& query) {
  if (query.format.floating() || int64_t{query.format.q_max()} - query.format.q_min() >= kMostCodes) return range;
  const ErrorBehind error(FunctionOf(activation), Distribution::Signed(sketch), query);
  Range best = range;
  PREON_ASSIGN_OR_RETURN(double least, error.Of(range));
  for (float Range::*end : {&Range::min, &Range::max}) {
    if (end == &Range::max && !FlatOnTheRight(activation)) break;
    for (int step = 1; step <= kSteps && range.*end != 0; ++step) {
      Range tried = best;
      tried.*end = static_cast<float>(range.*end * std::exp2(-step / 6.0));
      PREON_ASSIGN_OR_RETURN(const double behind, error.Of(tried));
      if (behind >= kWorthwhileErrorShare * least) continue;
      least = behind;
      best = tried;
    }
  }
  return best;
}

}  // namespace preon
