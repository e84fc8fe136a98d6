#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "data/data_source.h"

namespace preon {
namespace {

// Batches 0, 1, …; at `end` the stream ends as told.
class EndingSource : public DataSource {
 public:
  enum class End { kQuiet, kError, kDefect, kNoMemory };
  EndingSource(int64_t end, End how, std::atomic<int>* reads) : end_(end), how_(how), reads_(reads) {}

  std::optional<int64_t> SampleCount() const override { return end_; }
  Result<std::optional<Batch>> Next() override {
    ++*reads_;
    if (next_ < end_) {
      Batch batch;
      batch.first_sample = next_++;
      return std::optional<Batch>(std::move(batch));
    }
    if (how_ == End::kError) return Error(ErrorId::kImageUnreadable, "x.jpg");
    if (how_ == End::kDefect) throw InternalError("defect");
    if (how_ == End::kNoMemory) throw std::bad_alloc();
    return std::optional<Batch>();
  }

 private:
  const int64_t end_;
  const End how_;
  std::atomic<int>* const reads_;
  int64_t next_ = 0;
};

class PrefetchTest : public ::testing::Test {
 protected:
  std::unique_ptr<DataSource> Make(int64_t end, EndingSource::End how, int depth = 2) {
    return Prefetch(std::make_unique<EndingSource>(end, how, &reads_), depth);
  }
  std::atomic<int> reads_ = 0;
};

TEST_F(PrefetchTest, KeepsOrderAndEnds) {
  const auto source = Make(100, EndingSource::End::kQuiet);
  EXPECT_EQ(source->SampleCount(), 100);
  for (int64_t index = 0; index < 100; ++index) {
    const auto batch = source->Next();
    ASSERT_TRUE(batch.ok() && batch->has_value());
    EXPECT_EQ((*batch)->first_sample, index);
  }
  for (int again = 0; again < 2; ++again) {
    const auto end = source->Next();
    EXPECT_TRUE(end.ok() && !end->has_value());
  }
}

TEST_F(PrefetchTest, ErrorsComeAfterTheBatchesBeforeThem) {
  const auto source = Make(1, EndingSource::End::kError);
  EXPECT_TRUE(source->Next().ok());
  EXPECT_EQ(source->Next().status().id(), ErrorId::kImageUnreadable);
}

TEST_F(PrefetchTest, ExceptionsDoNotEndTheProcess) {
  EXPECT_EQ(Make(0, EndingSource::End::kNoMemory)->Next().status().id(), ErrorId::kOutOfMemory);
  const auto source = Make(0, EndingSource::End::kDefect);
  EXPECT_THROW((void)source->Next(), InternalError);
}

TEST_F(PrefetchTest, ReadsAtMostDepthAheadAndStopsWhenDropped) {
  auto source = Make(1000, EndingSource::End::kQuiet, /*depth=*/3);
  ASSERT_TRUE(source->Next().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(reads_, 1 + 3 + 1);  // given out, waiting, in the thread's hand
  source.reset();
  const int reads = reads_;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(reads_, reads);
}

}  // namespace
}  // namespace preon
