#include "analyze/sample_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"

namespace preon {
namespace {

constexpr std::pair<std::string_view, GroupBy> kNames[] = {
    {"folder", GroupBy::kFolder}, {"file", GroupBy::kFile}, {"label", GroupBy::kLabel}};

/// "a/x.npz[3]" -> "a/x.npz".
std::string FileOf(const std::string& name) {
  const size_t bracket = name.ends_with(']') ? name.rfind('[') : std::string::npos;
  return name.substr(0, bracket);
}

std::vector<std::string> FoldersOf(const SampleRow& row) {
  std::vector<std::string> folders = Split(FileOf(row.name), '/');
  folders.pop_back();
  return folders;
}

/// How many folders all samples have in common.
size_t CommonFolders(const std::vector<SampleRow>& rows) {
  const std::vector<std::string> first = FoldersOf(rows.front());
  size_t common = first.size();
  for (const SampleRow& row : rows) {
    const std::vector<std::string> folders = FoldersOf(row);
    const auto differs = std::ranges::mismatch(folders, first).in1;
    common = std::min(common, static_cast<size_t>(std::distance(folders.begin(), differs)));
  }
  return common;
}

}  // namespace

std::string_view GroupByName(GroupBy by) {
  return std::ranges::find(kNames, by, &std::pair<std::string_view, GroupBy>::second)->first;
}

Result<GroupBy> ParseGroupBy(const std::string& name) {
  for (const auto& [known, by] : kNames) {
    if (name == known) return by;
  }
  return Error(ErrorId::kBadOptionValue, "got '", name, "', wanted folder, file or label");
}

Result<std::vector<SampleGroup>> GroupSamples(const std::vector<SampleRow>& rows, GroupBy by) {
  PREON_CHECK(!rows.empty());
  const size_t common = CommonFolders(rows);
  std::map<std::pair<int64_t, std::string>, std::vector<size_t>> groups;
  for (size_t sample = 0; sample < rows.size(); ++sample) {
    const SampleRow& row = rows[sample];
    std::pair<int64_t, std::string> key;
    if (by == GroupBy::kFile) key.second = FileOf(row.name);
    if (by == GroupBy::kLabel) key = {row.label.value_or(0), row.label ? StrCat(*row.label) : "none"};
    if (by == GroupBy::kFolder) {
      const std::vector<std::string> folders = FoldersOf(row);
      key.second = folders.size() > common ? folders[common] : ".";
    }
    groups[std::move(key)].push_back(sample);
  }
  if (groups.size() == 1) {
    return Error(ErrorId::kBadOptionValue, "--group-by ", GroupByName(by), ": got ", rows.size(),
                 " samples in one group, '", groups.begin()->first.second, "'; wanted at least two groups");
  }
  std::vector<SampleGroup> sorted;
  for (auto& [key, samples] : groups) sorted.push_back({key.second, std::move(samples)});
  return sorted;
}

}  // namespace preon
