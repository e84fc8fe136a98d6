#include "data/held_out.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/split_mix.h"
#include "data/filtered_source.h"

namespace preon {
namespace {

constexpr int64_t kUsualShare = 5, kLargestShare = 3;  // one batch in so many

int64_t BatchesOf(const DataSource& source) {
  const int64_t batch = std::max<int64_t>(1, source.BatchSize());
  return (source.SampleCount().value_or(0) + batch - 1) / batch;
}

// One batch in so many; none where no number of them would do.
std::optional<int64_t> ShareOf(const DataSource& source) {
  const std::optional<int64_t> samples = source.SampleCount();
  if (!samples) return kUsualShare;
  const int64_t batches = BatchesOf(source);
  if (*samples < kFewestToHoldOut || batches < kLargestShare) return std::nullopt;
  return std::min(batches, std::clamp(*samples / kLeastHeldOut, kLargestShare, kUsualShare));
}

// A share of the batches, at places that follow no rhythm that the data may have.
class Marker final : public DataSource {
 public:
  explicit Marker(std::unique_ptr<DataSource> source)
      : source_(std::move(source)), share_(ShareOf(*source_)), parts_(PartsOf(*source_)) {}

  std::optional<int64_t> SampleCount() const override { return source_->SampleCount(); }
  int64_t BatchSize() const override { return source_->BatchSize(); }
  Result<std::optional<Batch>> Next() override {
    Result<std::optional<Batch>> batch = source_->Next();
    if (!batch.ok() || !batch->has_value()) return batch;
    if (share_)
      (*batch)->part = (*batch)->held_out = Takes(**batch);
    else if (parts_ > 1)
      (*batch)->part = NextPart(**batch);
    return batch;
  }

 private:
  // By samples: batches may have fewer than they could.
  size_t NextPart(const Batch& batch) {
    const int64_t part = samples_read_ * static_cast<int64_t>(parts_) / source_->SampleCount().value();
    samples_read_ += batch.samples;
    return std::min(static_cast<size_t>(part), parts_ - 1);
  }

  struct Stratum {
    int64_t seen = 0, held = 0;
  };

  // In each block of `share_` batches one falls due; it is the next one of a label that has not had its share.
  bool Takes(const Batch& batch) {
    if (seen_ == DuePlace()) {
      ++due_;
      ++blocks_;
    }
    ++seen_;
    const bool alone = batch.samples == 1 && !batch.labels.empty();
    Stratum& stratum = strata_[alone ? batch.labels.front() : std::nullopt];
    const bool takes = due_ > 0 && stratum.held * *share_ <= stratum.seen;
    ++stratum.seen;
    stratum.held += takes;
    due_ -= takes;
    return takes;
  }

  int64_t DuePlace() const {
    const auto places = static_cast<uint64_t>(*share_);
    const uint64_t number = SplitMix64((static_cast<uint64_t>(blocks_) + 1) * kSplitMixStep);
    const uint64_t place = blocks_ == 0 ? 1 + number % (places - 1) : number % places;
    return blocks_ * *share_ + static_cast<int64_t>(place);
  }

  const std::unique_ptr<DataSource> source_;
  const std::optional<int64_t> share_;
  const size_t parts_;
  int64_t samples_read_ = 0;
  int64_t seen_ = 0, blocks_ = 0, due_ = 0;
  std::map<std::optional<int64_t>, Stratum> strata_;  // by label
};

}  // namespace

size_t PartsOf(const DataSource& source) {
  if (ShareOf(source)) return 2;
  const bool enough = source.SampleCount() >= kLeastHeldOut && BatchesOf(source) >= static_cast<int64_t>(kFolds);
  return enough ? kFolds : 1;
}

std::unique_ptr<DataSource> MarkHeldOut(std::unique_ptr<DataSource> source) {
  return std::make_unique<Marker>(std::move(source));
}

std::unique_ptr<DataSource> LeaveOut(std::unique_ptr<DataSource> source, SampleRuns left_out) {
  // What sources leave out themselves is not counted, and others do not know how many they have.
  const std::optional<int64_t> count = source->SampleCount();
  const auto takes = [left_out = std::move(left_out)](const Batch& batch) {
    for (int64_t sample = 0; sample < batch.samples; ++sample) {
      if (!HasSample(left_out, batch.first_sample + sample * batch.sample_step)) return true;
    }
    return false;
  };
  return Filtered(std::move(source), takes, count);
}

}  // namespace preon
