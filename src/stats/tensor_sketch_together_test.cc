// Several sketches updated in one pass that also computes: the same bytes as one after the other.
#include <gtest/gtest.h>

#include <atomic>

#include "stats/sketch_testing.h"
#include "stats/tensor_sketch.h"

namespace preon {
namespace {

// Single runs, several, ragged ends; plain, and blocked with and without padding, less than a block, and many rows.
const ChannelLayout kLayouts[] = {
    {.inner = 5},
    {.samples = 2, .channels = 3, .inner = 20000},
    {.samples = 3, .outer = 4, .channels = 7, .inner = 900},
    {.channels = 32, .inner = 2000, .block = 16},
    {.samples = 2, .channels = 24, .inner = 1999, .block = 16},
    {.channels = 3, .inner = 9001, .block = 8},
    {.samples = 2, .outer = 3, .channels = 19, .inner = 333, .block = 16},
};

size_t Stored(const ChannelLayout& layout) {
  const int64_t blocks = (layout.channels + layout.block - 1) / layout.block;
  return static_cast<size_t>(layout.samples * layout.outer * blocks * layout.inner * layout.block);
}

std::string Show(const ChannelLayout& layout) {
  return std::to_string(layout.samples) + " x " + std::to_string(layout.outer) + " x " +
         std::to_string(layout.channels) + " x " + std::to_string(layout.inner) + " / " + std::to_string(layout.block);
}

struct Case {
  explicit Case(const ChannelLayout& of_layout)
      : layout(of_layout), a(SketchTestData(Stored(layout), 1)), b(SketchTestData(Stored(layout), 2)), sum(a.size()) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] + b[i];
  }
  std::string BytesOf(const SketchConfig& config, const std::vector<float>& values) const {
    TensorSketch sketch(config);
    sketch.Update(values.data(), layout);
    return sketch.Serialize();
  }
  ChannelLayout layout;
  std::vector<float> a, b, sum;
};

/// target = target + b, and how often each element was computed.
struct AddInto {
  ComputeRange Compute() {
    return [this](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        target[i] += b[i];
        ++times[i];
      }
    };
  }
  std::vector<float>& target;
  const std::vector<float>& b;
  std::vector<std::atomic<int>> times = std::vector<std::atomic<int>>(target.size());
};

TEST(UpdateTogether, SumOverAnInputGivesTheBytesOfUpdatesOneByOne) {
  for (const ChannelLayout& layout : kLayouts) {
    SCOPED_TRACE(Show(layout));
    const Case test(layout);
    for (const SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
      for (const int64_t channels : {int64_t{0}, layout.channels}) {
        for (const size_t threads : {1, 2, 5}) {
          const SketchConfig config{.mode = mode, .channels = channels};
          TensorSketch a(config), b(config), sum(config);
          std::vector<float> over = test.a;
          AddInto add{over, test.b};
          SketchStep steps[] = {{&a, over.data(), {}}, {&b, test.b.data(), {}}, {&sum, over.data(), add.Compute()}};
          TensorSketch::UpdateTogether(steps, layout, Threads(threads));
          EXPECT_EQ(a.Serialize(), test.BytesOf(config, test.a));
          EXPECT_EQ(b.Serialize(), test.BytesOf(config, test.b));
          EXPECT_EQ(sum.Serialize(), test.BytesOf(config, test.sum));
          EXPECT_EQ(over, test.sum);
          for (const std::atomic<int>& times : add.times) ASSERT_EQ(times, 1);
        }
      }
    }
  }
}

TEST(UpdateTogether, AStepWithoutASketchIsComputedAllTheSame) {
  for (const ChannelLayout& layout : kLayouts) {
    SCOPED_TRACE(Show(layout));
    const Case test(layout);
    TensorSketch a;
    std::vector<float> over = test.a;
    AddInto add{over, test.b};
    SketchStep steps[] = {{&a, over.data(), {}}, {nullptr, over.data(), add.Compute()}};
    TensorSketch::UpdateTogether(steps, layout, Threads(2));
    EXPECT_EQ(a.Serialize(), test.BytesOf({}, test.a));
    EXPECT_EQ(over, test.sum);
  }
}

TEST(UpdateTogether, SketchesOfDifferentModes) {
  const Case test(kLayouts[1]);
  TensorSketch a({.mode = SketchMode::kExact}), b({.mode = SketchMode::kSampled, .channels = 3});
  SketchStep steps[] = {{&a, test.a.data(), {}}, {&b, test.b.data(), {}}};
  TensorSketch::UpdateTogether(steps, test.layout, Threads(2));
  EXPECT_EQ(a.Serialize(), test.BytesOf(a.config(), test.a));
  EXPECT_EQ(b.Serialize(), test.BytesOf(b.config(), test.b));
}

TEST(UpdateTogether, NothingToCompute) {
  TensorSketch a;
  bool computed = false;
  SketchStep step{&a, nullptr, [&](int64_t, int64_t) { computed = true; }};
  TensorSketch::UpdateTogether({&step, 1}, {.samples = 2, .inner = 0}, {});
  EXPECT_FALSE(computed);
  EXPECT_EQ(a.samples(), 2u);
  EXPECT_EQ(a.count(), 0u);
}

}  // namespace
}  // namespace preon
