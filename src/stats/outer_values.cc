#include "stats/outer_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "stats/sketch_histogram.h"
#include "stats/tensor_histogram.h"
#include "stats/value_counts.h"

namespace preon {

OuterValues::OuterValues(std::vector<Entry> entries)
    : entries_(std::move(entries)), complete_(entries_.size() <= kFew) {
  const auto larger = [](const Entry& a, const Entry& b) { return a.magnitude > b.magnitude; };
  if (!complete_) {
    std::ranges::nth_element(entries_, entries_.begin() + kOuter, larger);
    entries_.resize(kOuter);
  }
  std::ranges::sort(entries_, larger);
}

void OuterValues::Merge(const OuterValues& other) {
  if (other.entries_.empty()) return;
  complete_ = complete_ && other.complete_;
  std::vector<Entry> merged;
  merged.reserve(std::min(complete_ ? kFew : kOuter, entries_.size() + other.entries_.size()));
  auto a = entries_.cbegin(), b = other.entries_.cbegin();
  const auto a_end = entries_.cend(), b_end = other.entries_.cend();
  while (a != a_end || b != b_end) {
    if (merged.size() == kFew) complete_ = false;
    if (!complete_ && merged.size() >= kOuter) break;
    if (b == b_end || (a != a_end && a->magnitude > b->magnitude)) {
      merged.push_back(*a++);
    } else if (a == a_end || b->magnitude > a->magnitude) {
      merged.push_back(*b++);
    } else {
      merged.push_back({a->magnitude, a->positive + b->positive, a->negative + b->negative});
      ++a, ++b;
    }
  }
  if (!complete_) merged.resize(kOuter);
  entries_ = std::move(merged);
}

void OuterValues::ReadInto(Histogram& histogram) const {
  histogram.points.reserve(entries_.size());
  for (auto entry = entries_.crbegin(); entry != entries_.crend(); ++entry) {
    histogram.points.push_back(
        {entry->magnitude, static_cast<double>(entry->positive), static_cast<double>(entry->negative)});
  }
}

void OuterValues::Write(WireWriter& out) const {
  out.Varint(entries_.size());
  auto above = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
  for (const Entry& entry : entries_) {
    const auto bits = std::bit_cast<uint32_t>(entry.magnitude);  // grow with the magnitude
    out.Varint(above - bits);
    out.Varint(entry.positive);
    out.Varint(entry.negative);
    above = bits;
  }
}

bool OuterValues::Parse(WireReader& in, const ValueCounts& counts, const TensorHistogram& histogram) {
  const uint64_t size = in.Varint();
  if (size > kFew) return false;
  const uint64_t nonzero = counts.finite() - counts.zeros;
  uint64_t listed = 0;
  auto above = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
  for (uint64_t index = 0; index < size; ++index) {
    const uint64_t gap = in.Varint();
    const uint64_t positive = in.Varint();
    const uint64_t negative = in.Varint();
    if (!in.ok() || gap == 0 || gap >= above || (positive == 0 && negative == 0)) return false;
    above -= static_cast<uint32_t>(gap);
    entries_.push_back({std::bit_cast<float>(above), positive, negative});
    for (const uint64_t count : {positive, negative}) {
      if (count > nonzero - listed) return false;
      listed += count;
    }
  }
  if (!in.ok() || listed > nonzero) return false;
  complete_ = listed == nonzero;
  return (complete_ || size == kOuter) && FitsExtremes(counts) && FitsBins(histogram);
}

bool OuterValues::FitsExtremes(const ValueCounts& counts) const {
  if (counts.finite() == counts.zeros) return entries_.empty();
  for (const bool negative : {false, true}) {
    const float extreme = negative ? -counts.min : counts.max;
    const auto first = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return (negative ? entry.negative : entry.positive) > 0;
    });
    if (first == entries_.end() ? extreme >= bound() : first->magnitude != extreme) return false;
  }
  return true;
}

// Bins beyond the smallest magnitude hold what is listed and nothing else. The one that it is in may hold more, and so
// may those below it, unless all are listed.
bool OuterValues::FitsBins(const TensorHistogram& histogram) const {
  const auto bin_of = [&](float magnitude) {
    return static_cast<size_t>(std::ldexp(magnitude, -histogram.width_exponent()));
  };
  std::array<std::vector<uint64_t>, 2> unlisted;
  for (const bool negative : {false, true}) {
    for (size_t bin = 0; bin < kBinsPerSign; ++bin) unlisted[negative].push_back(histogram.bulk(negative)[bin]);
  }
  for (const Entry& entry : entries_) {
    const size_t bin = bin_of(entry.magnitude);
    if (entry.positive > unlisted[0][bin] || entry.negative > unlisted[1][bin]) return false;
    unlisted[0][bin] -= entry.positive;
    unlisted[1][bin] -= entry.negative;
  }
  const size_t complete_from = complete_ ? 0 : bin_of(bound()) + 1;
  return std::ranges::all_of(unlisted, [&](const std::vector<uint64_t>& bins) {
    return std::all_of(bins.begin() + static_cast<ptrdiff_t>(complete_from), bins.end(),
                       [](uint64_t count) { return count == 0; });
  });
}

}  // namespace preon
