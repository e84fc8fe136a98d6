// Entropy: the clip whose codes keep most of the distribution's information.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ranges/histogram_math.h"
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {
namespace {

double NatLog(double p) { return p > 0 ? p * std::log(p) : 0; }

/// Searches the slices of bins around zero. A slice P takes all values, those outside in its end bins; R is what its
/// codes make of the values inside: Q groups of bins, the last owns what is left over, each spread evenly over its bins
/// that P has values in. With P and R normalized, the slice with the smallest divergence
///
///   KL(P‖R) = Σ p log(p / r)
///
/// wins. r is constant in a group, so that sums of count, of bins with values and of p log p over the bins before each
/// bin leave one term per group and slice; and groups of inner bins come back in later slices.
class SliceSearch {
 public:
  /// `counts` over [-reach, reach].
  explicit SliceSearch(std::vector<double> counts)
      : counts_(std::move(counts)), sums_(counts_.size() + 1), group_terms_(counts_.size()) {
    for (size_t bin = 0; bin < counts_.size(); ++bin) {
      const double p = counts_[bin];
      sums_[bin + 1] = {sums_[bin].count + p, sums_[bin].occupied + (p > 0), sums_[bin].log + NatLog(p)};
    }
  }

  struct Slice {
    size_t begin, end;
  };

  /// Of slices as good the narrowest. All bins if there are none.
  Slice Best(size_t groups) {
    const size_t middle = counts_.size() / 2;
    Slice best{0, counts_.size()};
    double smallest = std::numeric_limits<double>::infinity();
    for (size_t reach = groups / 2; reach <= middle; ++reach) {
      const Slice slice{middle - reach, std::min(middle + reach + 1, counts_.size())};
      const double divergence = Divergence(slice, groups);
      if (divergence < smallest) {
        smallest = divergence;
        best = slice;
      }
    }
    return best;
  }

 private:
  struct Sums {
    double count = 0, occupied = 0, log = 0;
  };

  double Divergence(const Slice& slice, size_t groups) {
    const auto [begin, end] = slice;
    const double all = sums_.back().count, inside = sums_[end].count - sums_[begin].count;
    if (inside <= 0) return std::numeric_limits<double>::infinity();
    const double below = sums_[begin].count, above = all - sums_[end].count;
    double sum =
        sums_[end - 1].log - sums_[begin + 1].log + NatLog(counts_[begin] + below) + NatLog(counts_[end - 1] + above);
    const size_t width = (end - begin) / groups;
    if (width != group_width_) {
      group_width_ = width;
      std::fill(group_terms_.begin(), group_terms_.end(), std::nullopt);
    }
    for (size_t group = 0; group < groups; ++group) {
      const size_t first = begin + group * width;
      if (group == 0) {
        sum -= Term(first, first + width, below, counts_[begin] == 0);
      } else if (group + 1 == groups) {
        sum -= Term(first, end, above, counts_[end - 1] == 0);
      } else {
        std::optional<double>& term = group_terms_[first];
        if (!term) term = Term(first, first + width, 0, false);
        sum -= *term;
      }
    }
    return sum / all - std::log(all) + std::log(inside);
  }

  /// Σ p log r of a group, with the outliers that one of its bins takes, and whether that bin has no other values.
  double Term(size_t begin, size_t end, double outliers, bool in_empty_bin) const {
    // A group without values of its own would make the divergence infinite; Quark smooths by this much, too.
    constexpr double kLeast = 1e-4;
    const double count = sums_[end].count - sums_[begin].count;
    if (count + outliers <= 0) return 0;
    const double occupied = sums_[end].occupied - sums_[begin].occupied + (outliers > 0 && in_empty_bin ? 1 : 0);
    return (count + outliers) * std::log(std::max(count / occupied, kLeast));
  }

  std::vector<double> counts_;
  std::vector<Sums> sums_;  ///< of the bins before
  size_t group_width_ = 0;
  std::vector<std::optional<double>> group_terms_;  ///< of inner groups of group_width_ bins, by first bin
};

class EntropyMethod final : public RangeMethod {
 public:
  std::string_view name() const override { return "entropy"; }
  std::vector<std::string_view> aliases() const override {
    return {"CalibMethod.Entropy", "CalibrationMethod.Entropy"};
  }
  std::string_view summary() const override {
    return "range that keeps the most information (Kullback-Leibler divergence)";
  }
  std::vector<std::string_view> option_help() const override {
    return {"NumBins=2048: bins over [-max|x|, max|x|], 512 to 8192",
            "NumQuantizedBins=0: number of groups, at most half of NumBins; 0: as many as the type has codes",
            "CalibTensorRangeSymmetric=false: use the larger end on both sides; also accepted: symmetric"};
  }

  Result<std::unique_ptr<RangeMethod>> Configured(const MethodOptions& options) const override {
    auto method = std::make_unique<EntropyMethod>(*this);
    OptionReader reader(name(), options);
    double bins = static_cast<double>(bins_), groups = static_cast<double>(groups_);
    reader.Read("NumBins", 512, 8192, &bins);
    reader.Read("NumQuantizedBins", 0, 4096, &groups);
    reader.ReadSymmetric(&method->symmetric_);
    method->bins_ = static_cast<size_t>(bins);
    method->groups_ = static_cast<size_t>(groups);
    if (bins != std::floor(bins) || groups != std::floor(groups) || groups == 1 || 2 * groups > bins) {
      reader.Fail(Error(ErrorId::kBadOptionValue, name(), ": options NumBins, NumQuantizedBins: got ", bins, ", ",
                        groups, ", wanted whole numbers, and 0 or 2 to NumBins / 2 for the second"));
    }
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::move(method));
  }

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {
    PREON_RETURN_IF_ERROR(NeedsIntegerCodes(name(), query));
    PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
    const double reach = std::max(-observed.min, observed.max);
    if (reach == 0) return observed;
    const int64_t codes = query.format.q_max() - query.format.q_min() + 1;
    const size_t groups = groups_ > 0 ? groups_ : std::min<size_t>(static_cast<size_t>(codes), bins_ / 2);
    const auto [begin, end] = SliceSearch(Rebinned(Distribution::Signed(sketch), reach)).Best(groups);
    const double width = 2 * reach / static_cast<double>(bins_);
    double low = static_cast<double>(begin) * width - reach;
    double high = end == bins_ ? reach : static_cast<double>(end) * width - reach;
    if (symmetric_ || query.format.symmetric) {
      high = std::max(-low, high);
      low = -high;
    }
    return Range{std::clamp(static_cast<float>(low), observed.min, 0.0f),
                 std::clamp(static_cast<float>(high), 0.0f, observed.max)};
  }

 private:
  /// Counts in bins_ equal bins over [-reach, reach].
  std::vector<double> Rebinned(const Distribution& values, double reach) const {
    std::vector<double> counts(bins_);
    const double bins_per_unit = static_cast<double>(bins_) / (2 * reach);
    const auto position = [&](double x) { return std::clamp((x + reach) * bins_per_unit, 0.0, bins_ - 1e-9); };
    for (const Distribution::Bin& bin : values.bins()) {
      const double low = position(bin.low), high = position(bin.high);
      const auto first = static_cast<size_t>(low), last = static_cast<size_t>(high);
      if (first == last) {
        counts[first] += bin.count;
        continue;
      }
      for (size_t i = first; i <= last; ++i) {
        const double begin = std::max(low, static_cast<double>(i));
        counts[i] += bin.count * (std::min(high, static_cast<double>(i + 1)) - begin) / (high - low);
      }
    }
    return counts;
  }

  size_t bins_ = 2048;
  size_t groups_ = 0;
  bool symmetric_ = false;
};

}  // namespace

std::unique_ptr<RangeMethod> MakeEntropyMethod() { return std::make_unique<EntropyMethod>(); }

}  // namespace preon
