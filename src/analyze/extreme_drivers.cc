#include "analyze/extreme_drivers.h"

#include <algorithm>

namespace preon {
namespace {

/// `reach`: of each sample, as positive ends.
template <typename Reach>
std::optional<Driver> DriverOf(const SampleExtents& extents, const Reach& reach, double sign) {
  const double end = reach(extents.all);
  if (end <= 0) return std::nullopt;
  std::optional<Driver> driver;
  double others = 0;
  for (size_t sample = 0; sample < extents.samples.size(); ++sample) {
    const double reached = reach(extents.samples[sample]);
    if (reached == end && !driver) {
      driver = Driver{.sample = sample};
      continue;
    }
    if (reached == end) ++driver->reached_by;
    others = std::max(others, reached);
  }
  driver->without = sign * others;
  return driver;
}

}  // namespace

Drivers DriversOf(const SampleExtents& extents) {
  return {.min = DriverOf(
              extents, [](const Extent& extent) { return -extent.min; }, -1),
          .max = DriverOf(extents, [](const Extent& extent) { return extent.max; }, 1)};
}

std::vector<SampleShare> RankSamples(std::span<const SampleExtents> tensors, double tolerance) {
  std::vector<SampleShare> shares(tensors.empty() ? 0 : tensors.front().samples.size());
  for (size_t sample = 0; sample < shares.size(); ++sample) shares[sample].sample = sample;
  for (const SampleExtents& extents : tensors) {
    const Drivers drivers = DriversOf(extents);
    for (size_t sample = 0; sample < shares.size(); ++sample) {
      const Extent& own = extents.samples[sample];
      Extent others = extents.all;
      if (drivers.min && own.min == extents.all.min) {
        shares[sample].extremes += 1.0 / static_cast<double>(drivers.min->reached_by);
        others.min = drivers.min->without;
      }
      if (drivers.max && own.max == extents.all.max) {
        shares[sample].extremes += 1.0 / static_cast<double>(drivers.max->reached_by);
        others.max = drivers.max->without;
      }
      shares[sample].shrinks += others.length() < (1 - tolerance) * extents.all.length();
    }
  }
  std::erase_if(shares, [](const SampleShare& share) { return share.extremes == 0; });
  std::ranges::stable_sort(shares, {}, [](const SampleShare& share) { return -share.extremes; });
  return shares;
}

}  // namespace preon
