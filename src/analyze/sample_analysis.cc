#include "analyze/sample_analysis.h"

#include <algorithm>

#include "base/text.h"

namespace preon {
namespace {

/// Of the rows' columns.
std::vector<size_t> PlacesOf(const CalibrationData& data, const std::vector<std::string>& tensors) {
  std::map<std::string_view, size_t> places;
  for (const auto& [name, sketch] : data.tensors) places.emplace(name, places.size());
  std::vector<size_t> found;
  for (const std::string& tensor : tensors) found.push_back(places.at(tensor));
  return found;
}

std::vector<GroupSummary> Summarize(const std::vector<SampleGroup>& groups, const std::vector<TensorSamples>& tensors) {
  std::vector<GroupSummary> summaries;
  for (size_t group = 0; group < groups.size(); ++group) {
    GroupSummary summary{.name = groups[group].name, .samples = groups[group].samples.size()};
    for (const TensorSamples& tensor : tensors) {
      const GroupView& view = tensor.groups[group];
      summary.missed += view.by_others.is_gap();
      summary.missing += view.of_all.is_gap();
      summary.least_covered = std::min(summary.least_covered, view.by_others.worst());
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace

Result<SampleAnalysis> AnalyzeSamples(const CalibrationData& data, const std::vector<std::string>& tensors,
                                      const SampleOptions& options) {
  const std::vector<SampleRow>& rows = *data.per_sample;
  const std::vector<size_t> places = PlacesOf(data, tensors);
  std::vector<SampleExtents> extents;
  std::vector<RangeGrowth> growths;
  for (const size_t place : places) growths.emplace_back(extents.emplace_back(ExtentsOf(rows, place)));

  SampleAnalysis analysis{.tolerance = options.tolerance,
                          .drivers = RankSamples(extents, options.tolerance),
                          .convergence = ConvergenceOf(growths, rows.size(), options.tolerance),
                          .cover = CoverExtremes(extents, options.tolerance)};
  for (const SampleRow& row : rows) analysis.samples.push_back({row.index, row.name});
  std::vector<SampleGroup> groups;
  if (options.group_by) {
    PREON_ASSIGN_OR_RETURN(groups, GroupSamples(rows, *options.group_by));
  }
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    TensorSamples& samples = analysis.tensors.emplace_back(
        TensorSamples{.drivers = DriversOf(extents[tensor]), .needed = growths[tensor].Needed(options.tolerance)});
    for (const size_t size : analysis.convergence.sizes) samples.shares.push_back(growths[tensor].ShareOf(size));
    if (options.group_by) samples.groups = CompareGroups(groups, rows, extents[tensor], places[tensor]);
  }
  analysis.groups = Summarize(groups, analysis.tensors);
  return analysis;
}

std::string CoverList(const SampleAnalysis& analysis) {
  std::string text = StrCat("# ", analysis.cover.samples.size(), " of ", analysis.samples.size(),
                            " samples reach all ranges within ", analysis.tolerance, "; for --only\n");
  for (const size_t sample : analysis.cover.samples)
    text += StrCat(analysis.samples[sample].index, "\t", Printable(analysis.samples[sample].name), "\n");
  return text;
}

}  // namespace preon
