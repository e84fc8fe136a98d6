#include "data/batcher.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/tensor_pool.h"

namespace preon {
namespace {

const Feed& FeedOf(const Sample& sample, const std::string& input) {
  const auto feed = std::ranges::find(sample.feeds, input, &Feed::input);
  PREON_CHECK(feed != sample.feeds.end());
  return *feed;
}

// Rows stack under equal shapes; what is repeated must be the same for the whole batch.
bool Stackable(const Sample& a, const Sample& b) {
  return std::ranges::all_of(a.feeds, [&](const Feed& feed) {
    const Feed& other = FeedOf(b, feed.input);
    return feed.kind == other.kind && feed.tensor.shape() == other.tensor.shape() &&
           (feed.kind != FeedKind::kRepeated || feed.tensor.bytes().data() == other.tensor.bytes().data() ||
            std::ranges::equal(feed.tensor.bytes(), other.tensor.bytes()));
  });
}

Tensor StackRows(const std::vector<Sample>& samples, const std::string& input, const TensorPool& pool) {
  const Tensor& first = FeedOf(samples[0], input).tensor;
  Shape shape = first.shape();
  shape[0] = static_cast<int64_t>(samples.size());
  Tensor stacked = pool.Allocate(first.type(), shape);
  std::span<std::byte> to = stacked.MutableBytes();
  for (const Sample& sample : samples) {
    const std::span<const std::byte> row = FeedOf(sample, input).tensor.bytes();
    if (!row.empty()) std::memcpy(to.data(), row.data(), row.size());
    to = to.subspan(row.size());
  }
  return stacked;
}

class Batcher : public DataSource {
 public:
  Batcher(std::unique_ptr<SampleSet> samples, BatchPlan plan, std::optional<LabelFile> labels)
      : samples_(std::move(samples)),
        plan_(std::move(plan)),
        labels_(std::move(labels)),
        next_(Upcoming(plan_.shard.index)) {}

  std::optional<int64_t> SampleCount() const override {
    const int64_t size = ShardSize(plan_.shard, plan_.total), cycle = plan_.batch * plan_.parts;
    const int64_t in_last_cycle = std::clamp<int64_t>(size % cycle - plan_.part * plan_.batch, 0, plan_.batch);
    int64_t count = size / cycle * plan_.batch + in_last_cycle;
    for (const auto& [first, last] : plan_.seen) {
      for (int64_t sample = first; sample < std::min(last, plan_.total); ++sample) count -= IsMine(sample);
    }
    return count;
  }
  int64_t BatchSize() const override { return plan_.batch; }

  Result<std::optional<Batch>> Next() override {
    std::vector<Sample> taken;
    Batch batch;
    batch.first_sample = next_;
    batch.sample_step = plan_.shard.count;
    const auto follows = [&] {
      return next_ == batch.first_sample + static_cast<int64_t>(taken.size()) * plan_.shard.count;
    };
    while (next_ < plan_.total && static_cast<int64_t>(taken.size()) < plan_.batch && follows()) {
      if (!ahead_) {
        PREON_ASSIGN_OR_RETURN(ahead_, samples_->Read(next_));
      }
      if (!taken.empty() && !Stackable(taken[0], *ahead_)) break;
      Describe(*ahead_, batch);
      taken.push_back(std::move(*ahead_));
      ahead_.reset();
      next_ = Upcoming(next_ + plan_.shard.count);
    }
    if (taken.empty()) {
      samples_->Close();
      return std::optional<Batch>();
    }
    batch.samples = static_cast<int64_t>(taken.size());
    if (plan_.exact && batch.samples != plan_.batch) {
      return Error(ErrorId::kDataShape, batch.names.back(), ": the next sample has another shape after ", batch.samples,
                   " of a batch; the model takes batches of ", plan_.batch);
    }
    for (const std::string& input : plan_.inputs) {
      const Feed& feed = FeedOf(taken[0], input);
      const bool stack = feed.kind == FeedKind::kRow && taken.size() > 1;
      batch.feeds.push_back({input, stack ? StackRows(taken, input, pool_) : feed.tensor});
    }
    batch.expected = std::move(taken[0].expected);
    return std::optional<Batch>(std::move(batch));
  }

 private:
  // In the shard and in this part of it, seen or not.
  bool IsMine(int64_t sample) const {
    if (sample < plan_.shard.index || (sample - plan_.shard.index) % plan_.shard.count != 0) return false;
    return (sample - plan_.shard.index) / plan_.shard.count / plan_.batch % plan_.parts == plan_.part;
  }

  // The first one to yield, from `sample` of the shard on.
  int64_t Upcoming(int64_t sample) const {
    while (sample < plan_.total && (!IsMine(sample) || HasSample(plan_.seen, sample))) sample += plan_.shard.count;
    return sample;
  }

  void Describe(const Sample& sample, Batch& batch) const {
    batch.names.push_back(samples_->Name(next_));
    const std::optional<int64_t> label = labels_ ? labels_->Find(samples_->Key(next_)) : std::nullopt;
    batch.labels.push_back(label ? label : sample.label);
  }

  const std::unique_ptr<SampleSet> samples_;
  const BatchPlan plan_;
  const std::optional<LabelFile> labels_;
  int64_t next_;  // index of the next sample to yield
  TensorPool pool_;
  std::optional<Sample> ahead_;  // read, but of another shape than the batch before it
};

}  // namespace

int64_t ShardSize(const Shard& shard, int64_t total) {
  return std::max<int64_t>(0, (total - shard.index + shard.count - 1) / shard.count);
}

std::unique_ptr<DataSource> MakeBatcher(std::unique_ptr<SampleSet> samples, BatchPlan plan,
                                        std::optional<LabelFile> labels) {
  return std::make_unique<Batcher>(std::move(samples), std::move(plan), std::move(labels));
}

}  // namespace preon
