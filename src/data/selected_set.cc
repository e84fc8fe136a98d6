#include "data/selected_set.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace preon {
namespace {

class SelectedSet : public SampleSet {
 public:
  SelectedSet(std::unique_ptr<SampleSet> set, std::vector<int64_t> chosen)
      : set_(std::move(set)), chosen_(std::move(chosen)) {}

  int64_t size() const override { return static_cast<int64_t>(chosen_.size()); }
  bool single() const override { return set_->single(); }
  std::string Key(int64_t index) const override { return set_->Key(chosen_[static_cast<size_t>(index)]); }
  std::string Name(int64_t index) const override { return set_->Name(chosen_[static_cast<size_t>(index)]); }
  Result<Sample> Read(int64_t index) override { return set_->Read(chosen_[static_cast<size_t>(index)]); }
  void Close() override { set_->Close(); }

 private:
  const std::unique_ptr<SampleSet> set_;
  const std::vector<int64_t> chosen_;
};

Result<int64_t> PlaceIn(const SampleSet& set, const std::string& line) {
  const size_t tab = line.find('\t');
  const std::optional<int64_t> place = ParseNumber<int64_t>(std::string_view(line).substr(0, tab));
  if (!place) return Error(ErrorId::kSampleList, "got '", line, "', wanted POSITION or POSITION<TAB>NAME");
  const int64_t size = std::max<int64_t>(set.size(), -set.size());  // kRepeats: its one sample
  if (*place < 0 || *place >= size)
    return Error(ErrorId::kSampleList, "sample ", *place, " of data with ", size, ", counted from 0");
  if (tab == std::string::npos || line.substr(tab + 1) == Printable(set.Name(*place))) return *place;
  return Error(ErrorId::kSampleList, "sample ", *place, " is '", set.Name(*place), "', wanted '", line.substr(tab + 1),
               "'")
      .WithHint("use the --data that the list was made from; a list without names selects by position only");
}

}  // namespace

Result<std::unique_ptr<SampleSet>> SelectSamples(std::unique_ptr<SampleSet> set, const std::string& path) {
  if (path.empty()) return set;
  const std::string where = "--only: " + path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Error(ErrorId::kDataNotFound, where, ": no such file");
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<int64_t> chosen;
  int line_number = 0;
  for (std::string& line : Split(text, '\n')) {
    ++line_number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    Result<int64_t> place = PlaceIn(*set, line);
    if (!place.ok()) return std::move(place).status().WithContext(where, ":", line_number);
    chosen.push_back(*place);
  }
  std::ranges::sort(chosen);
  if (const auto twice = std::ranges::adjacent_find(chosen); twice != chosen.end())
    return Error(ErrorId::kSampleList, where, ": sample ", *twice, " is listed twice");
  if (chosen.empty()) return Error(ErrorId::kSampleList, where, ": lists no sample");
  return std::unique_ptr<SampleSet>(std::make_unique<SelectedSet>(std::move(set), std::move(chosen)));
}

}  // namespace preon
