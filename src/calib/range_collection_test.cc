#include "calib/range_collection.h"

#include "calib/test_calibrations.h"

#include <gtest/gtest.h>

#include <limits>

namespace preon {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
using Portions = std::vector<std::vector<float>>;

/// Keeps what it is shown, the first time and again.
class Recorder final : public RangeCollector {
 public:
  Recorder(Portions& first, Portions* again, bool by_run) : first_(first), again_(again), by_run_(by_run) {}
  void Add(std::span<const float> portion) override { first_.emplace_back(portion.begin(), portion.end()); }
  bool by_run() const override { return by_run_; }
  bool rereads() const override { return again_ != nullptr; }
  Result<Range> Finish(const ValueReplay& again) override {
    if (again_ != nullptr) {
      PREON_RETURN_IF_ERROR(
          again([&](std::span<const float> portion) { again_->emplace_back(portion.begin(), portion.end()); }));
    }
    return Range{-1, static_cast<float>(first_.size())};
  }

 private:
  Portions& first_;
  Portions* again_;
  bool by_run_;
};

RangeCollection CollectionOf(std::vector<std::unique_ptr<RangeCollector>> collectors) {
  std::vector<std::string> tensors;
  for (size_t i = 0; i < collectors.size(); ++i) tensors.push_back(StrCat("t", i));
  return *RangeCollection::Create(std::move(tensors), std::move(collectors), testing::TempDir());
}

TEST(RangeCollection, PortionsAreSamplesOrRunsAndComeAgain) {
  Portions samples, runs, runs_again;
  std::vector<std::unique_ptr<RangeCollector>> collectors;
  collectors.push_back(std::make_unique<Recorder>(samples, nullptr, false));
  collectors.push_back(std::make_unique<Recorder>(runs, &runs_again, true));
  collectors.push_back(nullptr);
  RangeCollection collection = CollectionOf(std::move(collectors));
  const std::vector<float> first = {1, 2, 3, 4}, second = {5, 6};
  for (size_t index : {0, 1, 2}) {
    ASSERT_TRUE(collection.Add(index, {first.data(), {2, 2}, 1}, test::NamedBatch(2)).ok());
    ASSERT_TRUE(collection.Add(index, {second.data(), {1, 2}, 1}, test::NamedBatch(1)).ok());
    ASSERT_TRUE(collection.Add(index, {second.data(), {1, 0}, 1}, test::NamedBatch(1)).ok()) << "an empty value";
  }
  const auto ranges = *collection.Finish();
  EXPECT_EQ(samples, (Portions{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(runs, (Portions{{1, 2, 3, 4}, {5, 6}}));
  EXPECT_EQ(runs_again, runs);
  EXPECT_EQ(ranges, (std::map<std::string, Range>{{"t0", {-1, 3}}, {"t1", {-1, 2}}}));
}

TEST(RangeCollection, BlockedValuesComeInPlainOrder) {
  Portions seen;
  std::vector<std::unique_ptr<RangeCollector>> collectors;
  collectors.push_back(std::make_unique<Recorder>(seen, nullptr, true));
  RangeCollection collection = CollectionOf(std::move(collectors));
  // One sample of 3 channels of 2 elements, blocks of 2: channels 0 and 1, then 2 and padding.
  const std::vector<float> blocked = {10, 20, 11, 21, 30, 99, 31, 99};
  ASSERT_TRUE(collection.Add(0, {blocked.data(), {1, 3, 2}, 2}, test::NamedBatch(1)).ok());
  EXPECT_EQ(seen, (Portions{{10, 11, 20, 21, 30, 31}}));
}

TEST(RangeCollection, InfinitiesBecomeTheFiniteExtremesOfTheirPortion) {
  Portions seen;
  std::vector<std::unique_ptr<RangeCollector>> collectors;
  collectors.push_back(std::make_unique<Recorder>(seen, nullptr, false));
  RangeCollection collection = CollectionOf(std::move(collectors));
  const std::vector<float> values = {1, -kInfinity, 3, kInfinity, kInfinity, -kInfinity};
  ASSERT_TRUE(collection.Add(0, {values.data(), {2, 3}, 1}, test::NamedBatch(2)).ok());
  const std::vector<float> broken = {1, std::numeric_limits<float>::quiet_NaN()};
  ASSERT_TRUE(collection.Add(0, {broken.data(), {1, 2}, 1}, test::NamedBatch(1)).ok()) << "the run fails elsewhere";
  EXPECT_EQ(seen, (Portions{{1, 1, 3}, {0, 0, 0}}));
}

TEST(RangeCollection, AFolderThatIsNotThere) {
  Portions seen, again;
  std::vector<std::unique_ptr<RangeCollector>> collectors;
  collectors.push_back(std::make_unique<Recorder>(seen, &again, true));
  EXPECT_EQ(RangeCollection::Create({"t"}, std::move(collectors), "/nowhere/at/all").status().id(), ErrorId::kIoWrite);
}

TEST(CollectingObserver, ShowsToSketchesAndCollectors) {
  Portions seen;
  std::vector<std::unique_ptr<RangeCollector>> collectors;
  collectors.push_back(std::make_unique<Recorder>(seen, nullptr, false));
  RangeCollection collection = CollectionOf(std::move(collectors));
  SketchObserver sketches({.tensors = {"t0"}}, SketchMode::kExact);
  CollectingObserver observer(sketches, collection);
  const std::vector<float> values = {1, 2, 3, 4};
  const Batch batch = test::NamedBatch(2);
  observer.BeginRun(batch);
  observer.Observe(0, {values.data(), {2, 2}, 1}, {});
  ASSERT_TRUE(observer.EndRun().ok());
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(sketches.Sketches()[0].count(), 4u);
  observer.BeginRun(batch);
  const std::vector<float> broken = {1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  observer.Observe(0, {broken.data(), {2, 2}, 1}, {});
  EXPECT_EQ(observer.EndRun().id(), ErrorId::kRangeNotFinite);
}

}  // namespace
}  // namespace preon
