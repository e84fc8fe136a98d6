#include "calib/sketch_observer.h"

#include "calib/test_calibrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace preon {
namespace {

using testing::HasSubstr;

std::vector<float> Ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 97) - 40.0f;
  return values;
}

TEST(LayoutOf, FindsSamplesChannelsAndBlocks) {
  const auto expect = [](const Shape& shape, int64_t block, int64_t samples, const ChannelLayout& wanted) {
    const ChannelLayout layout = LayoutOf({nullptr, shape, block}, samples);
    EXPECT_EQ(layout.samples, wanted.samples) << ShapeToString(shape);
    EXPECT_EQ(layout.outer, wanted.outer) << ShapeToString(shape);
    EXPECT_EQ(layout.channels, wanted.channels) << ShapeToString(shape);
    EXPECT_EQ(layout.inner, wanted.inner) << ShapeToString(shape);
    EXPECT_EQ(layout.block, wanted.block) << ShapeToString(shape);
  };
  expect({}, 1, 4, {1, 1, 1, 1, 1});
  expect({4}, 1, 4, {4, 1, 1, 1, 1});
  expect({4, 10}, 1, 4, {4, 1, 10, 1, 1});
  expect({4, 3, 5, 7}, 1, 4, {4, 1, 3, 35, 1});
  expect({4, 13, 5, 7}, 8, 4, {4, 1, 13, 35, 8});
  expect({48, 64}, 1, 4, {4, 12, 64, 1, 1});   // [N·T, C]
  expect({5, 4, 64}, 1, 4, {1, 5, 4, 64, 1});  // [T, N, C]: no telling samples apart
}

// A sampled sketch decides by position within a sample what it counts; how samples are batched must not change that.
TEST(SketchObserver, BatchSizeDoesNotMatter) {
  constexpr int64_t kPerSample = 3 * 40000;
  const std::vector<float> values = Ramp(6 * kPerSample);
  std::vector<std::string> bytes;
  for (int64_t batch : {1, 2, 3, 6}) {
    SketchObserver observer({.tensors = {"t"}}, SketchMode::kSampled);
    const Batch description = test::NamedBatch(batch);
    observer.BeginRun(description);
    for (int64_t sample = 0; sample < 6; sample += batch) {
      observer.Observe(0, {values.data() + sample * kPerSample, {batch * 3, 40000}, 1}, {});
    }
    ASSERT_TRUE(observer.EndRun().ok());
    bytes.push_back(observer.TakeSketches()[0].Serialize());
  }
  for (const std::string& other : bytes) EXPECT_EQ(other, bytes[0]);
}

TEST(SketchObserver, KeepsChannelsWhereAsked) {
  SketchObserver observer({.tensors = {"a", "b"}, .channel_extremes = {"b"}}, SketchMode::kExact);
  const Batch batch = test::NamedBatch(1);
  observer.BeginRun(batch);
  const std::vector<float> values = {1, -2, 3, 4, 5, 6};
  for (size_t index : {0, 1}) observer.Observe(index, {values.data(), {1, 3, 2}, 1}, {});
  const std::vector<TensorSketch> sketches = observer.TakeSketches();
  EXPECT_TRUE(sketches[0].channel_min().empty());
  ASSERT_EQ(sketches[1].channel_min().size(), 3u);
  EXPECT_EQ(sketches[1].channel_min()[0], -2);
  EXPECT_EQ(sketches[1].channel_max()[2], 6);
}

TEST(SketchObserver, ChannelsMayNotChange) {
  SketchObserver observer({.tensors = {"t"}, .channel_extremes = {"t"}}, SketchMode::kExact);
  const Batch batch = test::NamedBatch(1);
  observer.BeginRun(batch);
  const std::vector<float> values = Ramp(6);
  observer.Observe(0, {values.data(), {1, 3, 2}, 1}, {});
  observer.Observe(0, {values.data(), {1, 2, 3}, 1}, {});
  EXPECT_EQ(observer.EndRun().id(), ErrorId::kSketchMismatch);
}

TEST(SketchObserver, NaNNamesTensorAndSample) {
  std::vector<float> values = Ramp(4 * 6);
  values[2 * 6 + 5] = std::numeric_limits<float>::quiet_NaN();
  SketchObserver observer({.tensors = {"div_2"}}, SketchMode::kSampled);
  const Batch batch = test::NamedBatch(4);
  observer.BeginRun(batch);
  observer.Observe(0, {values.data(), {4, 6}, 1}, {});
  const Status status = observer.EndRun();
  EXPECT_EQ(status.id(), ErrorId::kRangeNotFinite);
  EXPECT_EQ(status.message(), "div_2: 1 of 24 values are NaN in sample x.npy[2]");
}

TEST(SketchObserver, InfinitiesAreCountedAndLeftOut) {
  const std::vector<float> values = {1, -std::numeric_limits<float>::infinity(), 2};
  SketchObserver observer({.tensors = {"mask"}}, SketchMode::kSampled);
  const Batch batch = test::NamedBatch(1);
  observer.BeginRun(batch);
  observer.Observe(0, {values.data(), {1, 3}, 1}, {});
  ASSERT_TRUE(observer.EndRun().ok());
  const TensorSketch sketch = observer.TakeSketches()[0];
  EXPECT_EQ(sketch.inf_count(), 1u);
  EXPECT_EQ(sketch.min(), 1);
  EXPECT_EQ(sketch.max(), 2);
}

// Another thread's run is none of this one's business.
TEST(SketchObserver, RunsAtTheSameTime) {
  std::vector<float> good = Ramp(24), bad = Ramp(24);
  bad[7] = std::numeric_limits<float>::quiet_NaN();
  SketchObserver observer({.tensors = {"t"}}, SketchMode::kSampled);
  const Batch batch = test::NamedBatch(4);
  observer.BeginRun(batch);
  std::jthread([&] {
    observer.BeginRun(batch);
    observer.Observe(0, {bad.data(), {4, 6}, 1}, {});
    EXPECT_EQ(observer.EndRun().message(), "t: 1 of 24 values are NaN in sample x.npy[1]");
  }).join();
  observer.Observe(0, {good.data(), {4, 6}, 1}, {});
  EXPECT_TRUE(observer.EndRun().ok());
}

// a, and over it a + 1.
struct Increment {
  std::vector<ObservedStep> Steps(const Shape& shape) {
    const ObservedValue value{values.data(), shape, 1};
    const auto compute = [this](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += 1;
    };
    return {{value, 0, {}}, {value, 1, compute}};
  }
  std::vector<float> values;
};

TEST(SketchObserver, TogetherAsOneByOne) {
  const std::vector<float> a = Ramp(3 * 40000);
  Increment increment{a};
  SketchObserver one_by_one({.tensors = {"a", "b"}, .channel_extremes = {"a", "b"}}, SketchMode::kSampled);
  SketchObserver together({.tensors = {"a", "b"}, .channel_extremes = {"a", "b"}}, SketchMode::kSampled);
  const Batch batch = test::NamedBatch(1);
  together.BeginRun(batch);  // for both: it is the thread's
  together.ObserveTogether(increment.Steps({1, 3, 40000}), {});
  one_by_one.Observe(0, {a.data(), {1, 3, 40000}, 1}, {});
  one_by_one.Observe(1, {increment.values.data(), {1, 3, 40000}, 1}, {});
  const std::vector<TensorSketch> wanted = one_by_one.TakeSketches(), got = together.TakeSketches();
  for (size_t index : {0, 1}) EXPECT_EQ(got[index].Serialize(), wanted[index].Serialize());
  EXPECT_EQ(got[1].max(), got[0].max() + 1);
}

TEST(SketchObserver, WhatIsShownTogetherIsComputedAfterAFailureToo) {
  Increment increment{Ramp(4 * 6)};
  increment.values[2 * 6 + 5] = std::numeric_limits<float>::quiet_NaN();
  SketchObserver observer({.tensors = {"a", "b"}}, SketchMode::kSampled);
  const Batch batch = test::NamedBatch(4);
  observer.BeginRun(batch);
  for (int times = 1; times <= 2; ++times) {
    observer.ObserveTogether(increment.Steps({4, 6}), {});
    EXPECT_EQ(increment.values[0], Ramp(1)[0] + static_cast<float>(times));
  }
  EXPECT_EQ(observer.EndRun().message(), "a: 1 of 24 values are NaN in sample x.npy[2]");
}

}  // namespace
}  // namespace preon
