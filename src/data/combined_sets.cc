#include "data/combined_sets.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace preon {
namespace {

using Parts = std::vector<std::unique_ptr<SampleSet>>;

bool AnySingle(const Parts& parts) {
  return std::ranges::any_of(parts, [](const auto& part) { return part->single(); });
}

class ChainedSet : public SampleSet {
 public:
  explicit ChainedSet(Parts parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) ends_.push_back(size() + std::max<int64_t>(part->size(), -part->size()));
  }

  int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  bool single() const override { return AnySingle(parts_); }
  std::string Key(int64_t index) const override { return parts_[PartOf(index)]->Key(index - Begin(PartOf(index))); }
  std::string Name(int64_t index) const override { return parts_[PartOf(index)]->Name(index - Begin(PartOf(index))); }
  void Close() override { parts_[open_]->Close(); }

  Result<Sample> Read(int64_t index) override {
    const size_t part = PartOf(index);
    if (part != open_) parts_[open_]->Close();
    open_ = part;
    return parts_[part]->Read(index - Begin(part));
  }

 private:
  size_t PartOf(int64_t index) const {
    return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  }
  int64_t Begin(size_t part) const { return part == 0 ? 0 : ends_[part - 1]; }

  const Parts parts_;
  std::vector<int64_t> ends_;  // index behind each part's last sample
  size_t open_ = 0;
};

class ZippedSet : public SampleSet {
 public:
  ZippedSet(Parts parts, size_t leading) : parts_(std::move(parts)), leading_(leading) {}

  int64_t size() const override { return parts_[leading_]->size(); }
  bool single() const override { return AnySingle(parts_); }
  std::string Key(int64_t index) const override { return parts_[leading_]->Key(index); }
  std::string Name(int64_t index) const override { return parts_[leading_]->Name(index); }
  void Close() override {
    for (const auto& part : parts_) part->Close();
  }

  Result<Sample> Read(int64_t index) override {
    PREON_ASSIGN_OR_RETURN(Sample sample, parts_[leading_]->Read(index));
    for (size_t part = 0; part < parts_.size(); ++part) {
      if (part == leading_) continue;
      PREON_ASSIGN_OR_RETURN(std::vector<Feed> feeds, ReadPart(part, index));
      std::ranges::move(feeds, std::back_inserter(sample.feeds));
    }
    return sample;
  }

 private:
  Result<std::vector<Feed>> ReadPart(size_t part, int64_t index) {
    if (const auto known = constants_.find(part); known != constants_.end()) return known->second;
    const bool repeated = parts_[part]->size() != size();
    PREON_ASSIGN_OR_RETURN(Sample sample, parts_[part]->Read(repeated ? 0 : index));
    if (repeated) {
      for (Feed& feed : sample.feeds) feed.kind = FeedKind::kRepeated;
      constants_[part] = sample.feeds;
    }
    return std::move(sample.feeds);
  }

  const Parts parts_;
  const size_t leading_;                           // decides size, names and labels
  std::map<size_t, std::vector<Feed>> constants_;  // of repeated parts, read once
};

}  // namespace

std::unique_ptr<SampleSet> ChainSets(Parts parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  return std::make_unique<ChainedSet>(std::move(parts));
}

Result<std::unique_ptr<SampleSet>> ZipSets(Parts parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  // How much a part has to say about the number of samples.
  const auto weight = [](const std::unique_ptr<SampleSet>& part) {
    return part->size() == SampleSet::kRepeats ? 0 : part->can_repeat() ? 1 : 2;
  };
  const auto leading = std::ranges::max_element(parts, {}, weight);
  for (const auto& part : parts) {
    if (part->size() == (*leading)->size() || weight(part) < weight(*leading)) continue;
    return Error(ErrorId::kDataShape, "--input: ", part->size(), " samples from ", part->Name(0), " on, ",
                 (*leading)->size(), " from ", (*leading)->Name(0), " on; wanted the same number for every input");
  }
  const size_t index = static_cast<size_t>(leading - parts.begin());
  return std::unique_ptr<SampleSet>(std::make_unique<ZippedSet>(std::move(parts), index));
}

}  // namespace preon
