#include "analyze/strata.h"

#include <algorithm>

namespace preon {
namespace {

std::optional<double> OutlierRatioOf(const SampleGroup& group, const std::vector<SampleRow>& rows, size_t tensor,
                                     const Extent& extent) {
  std::vector<float> usual;
  for (const size_t sample : group.samples) {
    const SampleFacts& facts = rows[sample].tensors[tensor];
    if (!facts.empty()) usual.push_back(facts.usual_largest);
  }
  if (usual.empty()) return std::nullopt;
  const auto middle = usual.begin() + static_cast<ptrdiff_t>(usual.size() / 2);
  std::ranges::nth_element(usual, middle);
  if (*middle == 0) return std::nullopt;
  return std::max(-extent.min, extent.max) / *middle;
}

}  // namespace

std::vector<GroupView> CompareGroups(const std::vector<SampleGroup>& groups, const std::vector<SampleRow>& rows,
                                     const SampleExtents& extents, size_t tensor) {
  std::vector<GroupView> views;
  for (const SampleGroup& group : groups) {
    Extent extent;
    for (const size_t sample : group.samples) extent.Widen(extents.samples[sample].min, extents.samples[sample].max);
    views.push_back({.extent = extent,
                     .of_all = CoverageOf(extent, extents.all),
                     .outlier_ratio = OutlierRatioOf(group, rows, tensor, extent)});
  }
  // What others reach: all groups before and all behind, so that many groups take no longer.
  std::vector<Extent> behind(groups.size() + 1);
  for (size_t group = groups.size(); group-- > 0;) {
    behind[group] = behind[group + 1];
    behind[group].Widen(views[group].extent.min, views[group].extent.max);
  }
  Extent before;
  for (size_t group = 0; group < groups.size(); ++group) {
    Extent others = before;
    others.Widen(behind[group + 1].min, behind[group + 1].max);
    views[group].by_others = CoverageOf(others, views[group].extent);
    before.Widen(views[group].extent.min, views[group].extent.max);
  }
  return views;
}

}  // namespace preon
