#include "pipeline/samples.h"

#include <gtest/gtest.h>

#include "data/sample_runs.h"

namespace preon {
namespace {

// Samples 0, 1, 2, … in batches.
class Counting final : public DataSource {
 public:
  Counting(int64_t batch, int64_t limit) : batch_(batch), limit_(limit) {}

  std::optional<int64_t> SampleCount() const override { return std::nullopt; }
  int64_t BatchSize() const override { return batch_; }
  Result<std::optional<Batch>> Next() override {
    if (next_ >= limit_) return std::optional<Batch>();
    Batch batch;
    batch.first_sample = next_;
    batch.samples = batch_;
    next_ += batch_;
    return std::optional<Batch>(std::move(batch));
  }

 private:
  const int64_t batch_, limit_;
  int64_t next_ = 0;
};

// First samples of the batches that SomeOf takes of 1000; fails where more than `limit` are read.
std::vector<int64_t> Taken(int64_t batch, const SampleRuns& wanted, int64_t most, int64_t limit) {
  const Samples all{[=](const std::vector<TensorSpec>&, const SampleSelection& selection) {
    EXPECT_LE(selection.limit, limit);
    return Result<std::unique_ptr<DataSource>>(
        std::make_unique<Counting>(batch, std::min<int64_t>(1000, selection.limit)));
  }};
  const auto source = SomeOf(all, wanted, most).open({}, {});
  std::vector<int64_t> taken;
  while (true) {
    const auto next = (*source)->Next();
    if (!next.ok() || !next->has_value()) return taken;
    taken.push_back((*next)->first_sample);
  }
}

TEST(SomeOf, TakesSamplesAtEqualDistances) {
  EXPECT_EQ(Taken(1, {{0, 3}, {10, 13}}, 3, 13), (std::vector<int64_t>{0, 2, 11}));
  EXPECT_EQ(Taken(1, {{0, 4}}, 10, 4), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(Taken(4, {{0, 8}, {16, 24}}, 8, 24), (std::vector<int64_t>{0, 4, 16, 20}));
  EXPECT_EQ(Taken(4, {{0, 24}}, 3, 24), (std::vector<int64_t>{0, 8, 16}));
}

TEST(SomeOf, ReadsOnlyTheFirstFewHundred) {
  EXPECT_EQ(Taken(1, {{0, 1000}}, 4, 256), (std::vector<int64_t>{0, 64, 128, 192}));
}

TEST(FirstOf, NeverMoreThanTheSelectionTakes) {
  const Samples all{[](const std::vector<TensorSpec>&, const SampleSelection& selection) {
    return Result<std::unique_ptr<DataSource>>(std::make_unique<Counting>(1, selection.limit));
  }};
  const auto count = [&](const SampleSelection& selection) {
    const auto source = FirstOf(all, 5).open({}, selection);
    int64_t samples = 0;
    while ((*source)->Next()->has_value()) ++samples;
    return samples;
  };
  EXPECT_EQ(count({}), 5);
  EXPECT_EQ(count({.limit = 3}), 3);
  EXPECT_EQ(count({.limit = 7}), 5);
}

TEST(SomeOf, OfNoneIsNone) { EXPECT_TRUE(Taken(1, {}, 8, 0).empty()); }

}  // namespace
}  // namespace preon
