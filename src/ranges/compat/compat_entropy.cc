// Entropy as ONNX Runtime and Quark compute it, defects included.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "formats/compat/numpy_math.h"
#include "ranges/compat/compat_ranges.h"

namespace preon::compat {
namespace {

// Zeros get a little, which the others give; nothing where there is too little to give.
std::optional<std::vector<float>> Smoothed(const std::vector<int64_t>& counts) {
  constexpr double kLeast = 1e-4;
  const auto zeros = std::count(counts.begin(), counts.end(), 0);
  const auto others = static_cast<int64_t>(counts.size()) - zeros;
  if (others == 0) return std::nullopt;
  const double taken = kLeast * static_cast<double>(zeros) / static_cast<double>(others);
  if (taken >= 1) return std::nullopt;
  std::vector<float> smoothed(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    smoothed[i] =
        static_cast<float>(counts[i]) + (counts[i] == 0 ? static_cast<float>(kLeast) : static_cast<float>(-taken));
    if (smoothed[i] <= 0) return std::nullopt;
  }
  return smoothed;
}

void Normalize(std::vector<float>& values) {
  const float sum = PairwiseSum(values);
  for (float& value : values) value /= sum;
}

float Divergence(std::vector<float> p, std::vector<float> q) {
  Normalize(p);
  Normalize(q);
  // Most bins are empty in both, and a logarithm is what costs.
  float last_p = 0, last_q = 0, last_term = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] != last_p || q[i] != last_q) {
      last_p = p[i];
      last_q = q[i];
      last_term = q[i] > 0 ? p[i] * std::log(p[i] / q[i]) : std::numeric_limits<float>::infinity();
    }
    p[i] = last_term;
  }
  return PairwiseSum(p);
}

// A slice and what its groups make of it; see ranges/entropy.cc for the better form.
struct Slice {
  std::vector<int64_t> p, q;
};

Slice SliceOf(const std::vector<int64_t>& counts, const std::vector<int64_t>& before, size_t begin, size_t end,
              size_t groups) {
  Slice slice{{counts.begin() + static_cast<ptrdiff_t>(begin), counts.begin() + static_cast<ptrdiff_t>(end)},
              std::vector<int64_t>(end - begin)};
  slice.p.front() += before[begin];
  slice.p.back() += before.back() - before[end];
  const size_t width = (end - begin) / groups;
  for (size_t group = 0; group < groups; ++group) {
    const size_t first = group * width;
    const size_t last = group + 1 == groups ? end - begin : first + width;
    const int64_t sum = before[begin + last] - before[begin + first];
    int64_t occupied = 0;
    for (size_t bin = first; bin < first + width; ++bin) occupied += slice.p[bin] != 0;
    if (occupied == 0) continue;
    std::fill_n(slice.q.begin() + static_cast<ptrdiff_t>(first), width, sum / occupied);
  }
  return slice;
}

class EntropyCollector final : public RangeCollector {
 public:
  explicit EntropyCollector(const EntropyOptions& options)
      : groups_(options.groups), histogram_({HistogramForm::kSigned, options.bins, options.one_block}) {}
  void Add(std::span<const float> batch) override { histogram_.Add(batch); }
  bool by_run() const override { return true; }
  bool rereads() const override { return histogram_.rereads(); }

  Result<Range> Finish(const ValueReplay& again) override {
    PREON_ASSIGN_OR_RETURN(const auto histogram, histogram_.Finish(again));
    const std::vector<int64_t>& counts = histogram.counts;
    std::vector<int64_t> before(counts.size() + 1);
    for (size_t bin = 0; bin < counts.size(); ++bin) before[bin + 1] = before[bin] + counts[bin];
    const size_t middle = counts.size() / 2;
    std::optional<float> smallest;
    Range best;
    for (size_t reach = groups_ / 2; reach <= middle; ++reach) {
      const size_t begin = middle - reach, end = std::min(middle + reach + 1, counts.size());
      const Slice slice = SliceOf(counts, before, begin, end, groups_);
      auto p = Smoothed(slice.p), q = Smoothed(slice.q);
      const float divergence =
          p && q ? Divergence(*std::move(p), *std::move(q)) : std::numeric_limits<float>::infinity();
      if (smallest && divergence >= *smallest) continue;
      smallest = divergence;
      best = {histogram.edges[begin], histogram.edges[end]};
    }
    return Range{std::max(best.min, histogram.min), std::min(best.max, histogram.max)};
  }

 private:
  size_t groups_;
  HistogramOfBatches histogram_;
};

}  // namespace

std::unique_ptr<RangeCollector> CollectEntropy(const EntropyOptions& options) {
  return std::make_unique<EntropyCollector>(options);
}

}  // namespace preon::compat
