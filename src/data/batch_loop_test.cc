#include "data/batch_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace preon {
namespace {

// Batches of two samples: 0, 1, …; then an error, if one is given.
class CountingSource final : public DataSource {
 public:
  explicit CountingSource(int64_t batches, Status end = {}) : batches_(batches), end_(std::move(end)) {}
  std::optional<int64_t> SampleCount() const override { return std::nullopt; }
  Result<std::optional<Batch>> Next() override {
    EXPECT_FALSE(ended_) << "asked again after the end";
    ended_ = next_ >= batches_;
    if (ended_ && !end_.ok()) return end_;
    if (ended_) return std::optional<Batch>();
    Batch batch;
    batch.first_sample = next_++;
    batch.samples = 2;
    return std::optional<Batch>(std::move(batch));
  }
  int64_t begun() const { return next_; }

 private:
  int64_t batches_, next_ = 0;
  Status end_;
  bool ended_ = false;
};

// Later batches take less time.
void Dawdle(const Batch& batch) {
  std::this_thread::sleep_for(std::chrono::microseconds(100 * (10 - batch.first_sample % 10)));
}

class ForEachBatchTest : public ::testing::TestWithParam<int> {
 protected:
  /// Work that gives the batches' numbers to `finished_`.
  std::function<Result<InTurn>(const Batch&)> Note() {
    return [this](const Batch& batch) -> Result<InTurn> {
      Dawdle(batch);
      return InTurn([this, number = batch.first_sample] {
        finished_.push_back(number);
        return Status::Ok();
      });
    };
  }
  std::vector<int64_t> UpTo(int64_t end) {
    std::vector<int64_t> numbers(static_cast<size_t>(end));
    for (size_t number = 0; number < numbers.size(); ++number) numbers[number] = static_cast<int64_t>(number);
    return numbers;
  }
  /// A checkpoint that notes in `saved_` how much was finished.
  std::function<Status()> NoteSaved() {
    return [this] {
      saved_ = finished_.size();
      return Status::Ok();
    };
  }
  std::vector<int64_t> finished_;
  size_t saved_ = 0;
};

TEST_P(ForEachBatchTest, ResultsComeInOrder) {
  CountingSource source(50);
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam()}, Note()).ok());
  EXPECT_EQ(finished_, UpTo(50));
}

TEST_P(ForEachBatchTest, NothingToDo) {
  CountingSource source(0);
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam()}, Note()).ok());
  EXPECT_TRUE(finished_.empty());
}

TEST_P(ForEachBatchTest, TheFirstIsAlone) {
  CountingSource source(10);
  std::atomic<bool> first_done = false;
  const auto work = [&](const Batch& batch) -> Result<InTurn> {
    EXPECT_TRUE(batch.first_sample == 0 || first_done);
    Dawdle(batch);
    return InTurn([&] {
      first_done = true;
      return Status::Ok();
    });
  };
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam()}, work).ok());
}

TEST_P(ForEachBatchTest, SeveralAreUnderWay) {
  CountingSource source(20);
  std::atomic<int> under_way = 0, most = 0;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto work = [&](const Batch& batch) -> Result<InTurn> {
    const int now = ++under_way;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    const bool alone = batch.first_sample == 0;  // the first one tells what the others need
    while (!alone && most < GetParam() && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    --under_way;
    return InTurn([] { return Status::Ok(); });
  };
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam()}, work).ok());
  EXPECT_EQ(most, GetParam());
}

TEST_P(ForEachBatchTest, TheEarliestFailureCountsAndNothingAfterItIsFinished) {
  CountingSource source(50);
  const auto work = [&, note = Note()](const Batch& batch) -> Result<InTurn> {
    if (batch.first_sample >= 7) {  // the later ones fail sooner
      Dawdle(batch);
      return Error(ErrorId::kRuntimeRun, batch.first_sample);
    }
    return note(batch);
  };
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam()}, work).message(), "7");
  EXPECT_EQ(finished_, UpTo(7));
  EXPECT_LE(source.begun(), 7 + 2 * GetParam());
}

TEST_P(ForEachBatchTest, AFailureInTurn) {
  CountingSource source(50);
  const auto work = [&](const Batch& batch) -> Result<InTurn> {
    return InTurn([&, number = batch.first_sample] {
      finished_.push_back(number);
      return number == 5 ? Error(ErrorId::kPassFailed, "five") : Status::Ok();
    });
  };
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam()}, work).message(), "five");
  EXPECT_EQ(finished_, UpTo(6));
}

TEST_P(ForEachBatchTest, TheSourcesErrorComesAfterWhatItGave) {
  CountingSource source(9, Error(ErrorId::kImageUnreadable, "x.jpg"));
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam()}, Note()).id(), ErrorId::kImageUnreadable);
  EXPECT_EQ(finished_, UpTo(9));
}

TEST_P(ForEachBatchTest, EnoughSamples) {
  CountingSource source(50);
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam(), .max_samples = 11}, Note()).ok());
  EXPECT_EQ(finished_, UpTo(6));
  EXPECT_EQ(source.begun(), 6);
}

TEST_P(ForEachBatchTest, CheckpointsComeBetweenBatches) {
  CountingSource source(20);
  std::atomic<int> under_way = 0;
  std::vector<size_t> saved;
  const auto work = [&, note = Note()](const Batch& batch) {
    ++under_way;
    Result<InTurn> finish = note(batch);
    --under_way;
    return finish;
  };
  const auto save = [&] {
    EXPECT_EQ(under_way, 0);
    EXPECT_EQ(static_cast<int64_t>(finished_.size()), source.begun());
    saved.push_back(finished_.size());
    return Status::Ok();
  };
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {0, save}}, work).ok());
  EXPECT_EQ(finished_, UpTo(20));
  EXPECT_EQ(saved.front(), 1u);
  EXPECT_GE(saved.size(), 2u);
}

TEST_P(ForEachBatchTest, ACheckpointThatFailsEndsIt) {
  CountingSource source(20);
  const auto save = [] { return Error(ErrorId::kIoWrite, "full"); };
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {0, save}}, Note()).message(), "full");
  EXPECT_EQ(finished_, UpTo(1));
}

TEST_P(ForEachBatchTest, NoCheckpointBeforeItsTime) {
  CountingSource source(20);
  const auto save = [] { return Error(ErrorId::kIoWrite, "too early"); };
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {3600, save}}, Note()).ok());
}

TEST_P(ForEachBatchTest, StoppedItFinishesWhatIsUnderWayAndSavesIt) {
  CountingSource source(50);
  const auto go_on = [&] { return source.begun() < 7 ? Status::Ok() : Error(ErrorId::kCancelled, "enough"); };
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {3600, NoteSaved()}, .go_on = go_on}, Note())
                .message(),
            "enough");
  EXPECT_EQ(finished_, UpTo(7));
  EXPECT_EQ(saved_, 7u);
}

TEST_P(ForEachBatchTest, ACancelledSourceIsNoFailure) {
  CountingSource source(9, Error(ErrorId::kCancelled, "interrupted"));
  EXPECT_EQ(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {3600, NoteSaved()}}, Note()).id(),
            ErrorId::kCancelled);
  EXPECT_EQ(finished_, UpTo(9));
  EXPECT_EQ(saved_, 9u);
}

TEST_P(ForEachBatchTest, WhoeverSavedSavesTheEnd) {
  CountingSource source(20);
  EXPECT_TRUE(ForEachBatch(source, {.at_once = GetParam(), .checkpoint = {0, NoteSaved()}}, Note()).ok());
  EXPECT_EQ(saved_, 20u);
}

TEST_P(ForEachBatchTest, ExceptionsReachTheCaller) {
  CountingSource source(50);
  const auto work = [&](const Batch& batch) -> Result<InTurn> {
    Dawdle(batch);
    if (batch.first_sample == 4) throw std::bad_alloc();
    return InTurn([] { return Status::Ok(); });
  };
  EXPECT_THROW(static_cast<void>(ForEachBatch(source, {.at_once = GetParam()}, work)), std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(AtOnce, ForEachBatchTest, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace preon
