#include "analyze/sample_cover.h"

#include <algorithm>
#include <cstdint>

namespace preon {
namespace {

/// Who reaches what: both ways, so that each pair is looked at twice in all.
struct Reach {
  std::vector<std::vector<uint32_t>> samples_of;  // by end
  std::vector<std::vector<uint32_t>> ends_of;     // by sample
};

Reach WhoReachesWhat(std::span<const SampleExtents> tensors, double tolerance) {
  Reach reach;
  reach.ends_of.resize(tensors.empty() ? 0 : tensors.front().samples.size());
  for (const SampleExtents& extents : tensors) {
    const double slack = tolerance * extents.all.length();
    const auto add_end = [&](const auto& reached, double end) {
      if (end <= slack) return;  // 0 does
      const auto index = static_cast<uint32_t>(reach.samples_of.size());
      std::vector<uint32_t>& samples = reach.samples_of.emplace_back();
      for (size_t sample = 0; sample < extents.samples.size(); ++sample) {
        if (reached(extents.samples[sample]) < end - slack) continue;
        samples.push_back(static_cast<uint32_t>(sample));
        reach.ends_of[sample].push_back(index);
      }
    };
    add_end([](const Extent& extent) { return -extent.min; }, -extents.all.min);
    add_end([](const Extent& extent) { return extent.max; }, extents.all.max);
  }
  return reach;
}

std::vector<size_t> PickGreedily(const Reach& reach) {
  std::vector<size_t> gains, picked;
  for (const auto& ends : reach.ends_of) gains.push_back(ends.size());
  std::vector<bool> reached(reach.samples_of.size());
  for (size_t left = reached.size(); left > 0;) {
    const auto best = static_cast<size_t>(std::ranges::max_element(gains) - gains.begin());
    picked.push_back(best);
    for (const uint32_t end : reach.ends_of[best]) {
      if (reached[end]) continue;
      reached[end] = true;
      --left;
      for (const uint32_t sample : reach.samples_of[end]) --gains[sample];
    }
  }
  return picked;
}

/// Later picks may have made earlier ones needless.
void DropNeedless(const Reach& reach, std::vector<size_t>& picked) {
  std::vector<size_t> times(reach.samples_of.size());
  for (const size_t sample : picked) {
    for (const uint32_t end : reach.ends_of[sample]) ++times[end];
  }
  for (size_t index = picked.size(); index-- > 0;) {
    const std::vector<uint32_t>& ends = reach.ends_of[picked[index]];
    if (std::ranges::any_of(ends, [&](uint32_t end) { return times[end] == 1; })) continue;
    for (const uint32_t end : ends) --times[end];
    picked.erase(picked.begin() + static_cast<ptrdiff_t>(index));
  }
}

}  // namespace

SampleCover CoverExtremes(std::span<const SampleExtents> tensors, double tolerance) {
  const Reach reach = WhoReachesWhat(tensors, tolerance);
  SampleCover cover{.samples = PickGreedily(reach), .extremes = reach.samples_of.size()};
  DropNeedless(reach, cover.samples);
  if (cover.samples.empty() && !reach.ends_of.empty()) cover.samples.push_back(0);
  std::ranges::sort(cover.samples);
  return cover;
}

}  // namespace preon
