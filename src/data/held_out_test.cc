#include "data/held_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace preon {
namespace {

using LabelOf = std::function<std::optional<int64_t>(int64_t sample)>;

class Stream final : public DataSource {
 public:
  Stream(int64_t samples, int64_t batch, LabelOf label) : samples_(samples), batch_(batch), label_(std::move(label)) {}
  std::optional<int64_t> SampleCount() const override { return samples_; }
  int64_t BatchSize() const override { return batch_; }
  Result<std::optional<Batch>> Next() override {
    if (next_ >= samples_) return std::optional<Batch>();
    Batch batch{.samples = std::min(batch_, samples_ - next_), .first_sample = next_};
    for (int64_t i = 0; i < batch.samples; ++i) batch.labels.push_back(label_(next_ + i));
    next_ += batch.samples;
    return std::optional(std::move(batch));
  }

 private:
  const int64_t samples_, batch_;
  const LabelOf label_;
  int64_t next_ = 0;
};

std::vector<int64_t> HeldOut(
    int64_t samples, const LabelOf& label = [](int64_t) { return std::nullopt; }, int64_t batch = 1) {
  const auto source = MarkHeldOut(std::make_unique<Stream>(samples, batch, label));
  std::vector<int64_t> held;
  while (true) {
    const auto next = source->Next();
    if (!next.ok() || !*next) return held;
    for (int64_t i = 0; (*next)->held_out && i < (*next)->samples; ++i) held.push_back((*next)->first_sample + i);
  }
}

TEST(HeldOut, AFifthAtLeastEightNeverTheFirst) {
  EXPECT_EQ(HeldOut(23).size(), 0u);
  EXPECT_EQ(HeldOut(24).size(), 8u);
  EXPECT_EQ(HeldOut(40).size(), 8u);
  EXPECT_EQ(HeldOut(100).size(), 20u);
  EXPECT_EQ(HeldOut(1000).size(), 200u);
  for (int64_t samples = 24; samples < 200; ++samples) {
    const std::vector<int64_t> held = HeldOut(samples);
    EXPECT_GE(held.size(), 8u) << samples;
    EXPECT_GT(held.front(), 0) << samples;
  }
}

std::vector<size_t> Parts(int64_t samples, int64_t batch = 1) {
  const auto none = [](int64_t) { return std::nullopt; };
  Stream plain(samples, batch, none);
  const auto source = MarkHeldOut(std::make_unique<Stream>(samples, batch, none));
  std::vector<size_t> parts;
  for (auto next = source->Next(); next.ok() && *next; next = source->Next()) parts.push_back((*next)->part);
  EXPECT_LT(*std::max_element(parts.begin(), parts.end()), PartsOf(plain));
  return parts;
}

// Whose samples differ in shape, so that each is a batch.
class Singles final : public DataSource {
 public:
  std::optional<int64_t> SampleCount() const override { return 8; }
  int64_t BatchSize() const override { return 2; }
  Result<std::optional<Batch>> Next() override {
    if (next_ == 8) return std::optional<Batch>();
    return std::optional(Batch{.samples = 1, .first_sample = next_++});
  }

 private:
  int64_t next_ = 0;
};

TEST(HeldOut, SmallerBatchesThanCouldBeMakeNoMoreParts) {
  const auto source = MarkHeldOut(std::make_unique<Singles>());
  for (size_t sample = 0; sample < 8; ++sample) EXPECT_EQ((*source->Next())->part, sample / 2);
}

TEST(HeldOut, FewSamplesAreFourParts) {
  EXPECT_EQ(Parts(8), (std::vector<size_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(Parts(11), (std::vector<size_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(Parts(16, 4), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(Parts(16, 8), (std::vector<size_t>{0, 0}));
  EXPECT_EQ(Parts(7), std::vector<size_t>(7));
  for (const size_t part : Parts(24)) EXPECT_LE(part, 1u);
}

TEST(HeldOut, TheSameEveryTimeAndAtNoFixedStep) {
  const std::vector<int64_t> held = HeldOut(100);
  EXPECT_EQ(held, HeldOut(100));
  std::set<int64_t> places;
  for (const int64_t sample : held) places.insert(sample % 5);
  EXPECT_EQ(places.size(), 5u);
}

TEST(HeldOut, EachLabelHasItsShare) {
  const std::vector<LabelOf> orders = {[](int64_t sample) { return sample % 10; },  // in turns
                                       [](int64_t sample) { return sample / 20; },  // sorted
                                       [](int64_t sample) { return sample % 5; }};  // the rhythm of the share
  for (const LabelOf& label : orders) {
    std::map<int64_t, int64_t> all, kept;
    for (int64_t sample = 0; sample < 200; ++sample) ++all[*label(sample)];
    for (const int64_t sample : HeldOut(200, label)) ++kept[*label(sample)];
    for (const auto& [which, count] : all) EXPECT_NEAR(kept[which], count / 5.0, 1) << which;
  }
}

TEST(HeldOut, WholeBatches) {
  const std::vector<int64_t> held = HeldOut(100, [](int64_t) { return 3; }, 32);
  ASSERT_GE(held.size(), 4u);
  EXPECT_EQ(held.front() % 32, 0);
  EXPECT_GT(held.front(), 0);
  EXPECT_TRUE(HeldOut(100, [](int64_t) { return 3; }, 50).empty());
}

TEST(HeldOut, LeavesOutBatchesThatAreKnown) {
  const auto source = LeaveOut(std::make_unique<Stream>(6, 2, [](int64_t) { return 0; }), {{0, 2}, {3, 4}});
  std::vector<int64_t> first;
  while (true) {
    const auto next = source->Next();
    ASSERT_TRUE(next.ok());
    if (!*next) break;
    first.push_back((*next)->first_sample);
  }
  EXPECT_EQ(first, (std::vector<int64_t>{2, 4}));
}

}  // namespace
}  // namespace preon
