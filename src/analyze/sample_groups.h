// Strata: which samples belong together, by what is known of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "calib/sample_rows.h"

namespace preon {

enum class GroupBy {
  kFolder,  ///< the first folder in which the paths of the samples differ
  kFile,    ///< the file that holds it, of arrays with several samples
  kLabel,
};

std::string_view GroupByName(GroupBy by);
/// Errors: kBadOptionValue.
Result<GroupBy> ParseGroupBy(const std::string& name);

struct SampleGroup {
  std::string name;             ///< "." for files beside the folders, "none" without a label
  std::vector<size_t> samples;  ///< indices of rows, ascending
};

/// At least two, ordered by label, else by name. Errors: kBadOptionValue where there is but one.
Result<std::vector<SampleGroup>> GroupSamples(const std::vector<SampleRow>& rows, GroupBy by);

}  // namespace preon
