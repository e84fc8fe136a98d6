#include "data/array_layout.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TensorSpec Input(Shape shape) { return {"x", DataType::kFloat, std::move(shape)}; }

struct LayoutCase {
  Shape array, input;
  int64_t fixed_batch;
  FeedKind kind;
  int64_t samples;
  bool can_repeat, single;
};

TEST(ArrayLayoutTest, Table) {
  constexpr int64_t kAny = SampleSet::kRepeats;
  const LayoutCase cases[] = {
      // Rows: the usual cases, symbolic and fixed batch.
      {{10, 3, 8, 8}, {kDynamicDim, 3, 8, 8}, 1, FeedKind::kRow, 10, false, false},
      {{10, 3, 8, 8}, {1, 3, 8, 8}, 1, FeedKind::kRow, 10, false, true},
      {{10, 3, 8, 8}, {4, 3, 8, 8}, 4, FeedKind::kRow, 10, false, false},
      {{10, 3, 9, 7}, {kDynamicDim, 3, kDynamicDim, kDynamicDim}, 1, FeedKind::kRow, 10, false, false},
      {{10}, {kDynamicDim}, 1, FeedKind::kRow, 10, false, false},
      // One row that may be a constant beside more samples: only of fully known shape.
      {{1, 2, 128}, {1, 2, 128}, 1, FeedKind::kRow, 1, true, true},
      {{1, 5}, {kDynamicDim, 5}, 1, FeedKind::kRow, 1, false, false},
      // State tensors with the batch elsewhere: whole feeds or constants.
      {{10, 2, 1, 128}, {2, kDynamicDim, 128}, 1, FeedKind::kWhole, 10, false, true},
      {{2, 1, 128}, {2, kDynamicDim, 128}, 1, FeedKind::kRepeated, kAny, false, true},
      {{2, 4, 128}, {2, 4, 128}, 1, FeedKind::kRepeated, kAny, false, false},
      {{10, 1, 2, 128, 2}, {1, 2, 128, 2}, 1, FeedKind::kWhole, 10, false, true},
      // Scalars.
      {{}, {}, 1, FeedKind::kRepeated, kAny, false, false},
      {{10}, {}, 1, FeedKind::kWhole, 10, false, true},
      {{1}, {}, 1, FeedKind::kWhole, 1, true, true},
      {{}, {1}, 1, FeedKind::kRepeated, kAny, false, false},
      // Unknown rank looks like a scalar.
      {{10, 3, 4}, {}, 1, FeedKind::kWhole, 10, false, true},
      // Batch 1 beside a fixed batch of 4 is a constant.
      {{1, 7}, {1, 7}, 4, FeedKind::kRepeated, kAny, false, false},
  };
  for (const LayoutCase& row : cases) {
    const auto layout = FitArray(row.array, Input(row.input), row.fixed_batch);
    const std::string what = ShapeToString(row.array) + " for " + ShapeToString(row.input);
    ASSERT_TRUE(layout.ok()) << what << ": " << layout.status().ToString();
    EXPECT_EQ(layout->kind, row.kind) << what;
    EXPECT_EQ(layout->samples, row.samples) << what;
    EXPECT_EQ(layout->can_repeat, row.can_repeat) << what;
    EXPECT_EQ(layout->single, row.single) << what;
  }
}

TEST(ArrayLayoutTest, RefusesOtherShapesAndSaysWhatIsWanted) {
  const auto message = [](Shape array, Shape input) { return FitArray(array, Input(input), 1).status().message(); };
  EXPECT_EQ(message({3, 32, 32}, {kDynamicDim, 3, 224, 224}), "shape [3, 32, 32], wanted [samples, 3, 224, 224]");
  EXPECT_EQ(message({10, 5}, {kDynamicDim, 4}), "shape [10, 5], wanted [samples, 4]");
  EXPECT_EQ(message({10, 5}, {1}), "shape [10, 5], wanted [samples]");
  EXPECT_EQ(message({3, 1, 128}, {2, kDynamicDim, 128}),
            "shape [3, 1, 128], wanted [samples, 2, ?, 128] or [2, ?, 128] for all samples");
}

TEST(ArrayLayoutTest, SaysWhereTheChannelsAre) {
  const Shape nchw = {kDynamicDim, 3, 224, 224}, nhwc = {1, 224, 224, 3};
  EXPECT_NE(LayoutHint(Shape{100, 224, 224, 3}, nchw).find("(0, 3, 1, 2)"), std::string::npos);
  EXPECT_NE(LayoutHint(Shape{100, 3, 224, 224}, nhwc).find("(0, 2, 3, 1)"), std::string::npos);
  EXPECT_EQ(LayoutHint(Shape{100, 224, 224, 4}, nchw), "");
  EXPECT_EQ(LayoutHint(Shape{100, 3, 32, 32}, nchw), "");
  EXPECT_EQ(LayoutHint(Shape{224, 224, 3}, nchw), "");
}

TEST(ArrayLayoutTest, FixedBatchIsThatOfTheFirstInputWithAxes) {
  EXPECT_EQ(FixedBatch(std::vector<TensorSpec>{Input({}), Input({4, 3}), Input({2, 3})}), 4);
  EXPECT_EQ(FixedBatch(std::vector<TensorSpec>{Input({kDynamicDim, 3}), Input({2, 3})}), 1);
  EXPECT_EQ(FixedBatch(std::vector<TensorSpec>{}), 1);
}

TEST(SamplesOfRun, RowsWhereInputsAgree) {
  const auto count = [](const std::vector<TensorSpec>& inputs, const std::vector<Shape>& shapes) {
    std::vector<NamedTensor> feeds;
    for (size_t input = 0; input < inputs.size(); ++input)
      feeds.push_back({inputs[input].name, Tensor::Allocate(DataType::kFloat, shapes[input])});
    return SamplesOfRun(inputs, feeds);
  };
  const TensorSpec open{"x", DataType::kFloat, {kDynamicDim, 3}}, other{"z", DataType::kFloat, {kDynamicDim, 4}},
      state{"state", DataType::kFloat, {2, kDynamicDim, 3}}, scalar{"sr", DataType::kFloat, {}},
      fixed{"x", DataType::kFloat, {4, 3}};
  EXPECT_EQ(count({open}, {{5, 3}}), 5);
  EXPECT_EQ(count({open, other}, {{5, 3}, {5, 4}}), 5);
  EXPECT_EQ(count({open, other}, {{5, 3}, {6, 4}}), 1);
  EXPECT_EQ(count({open, state, scalar}, {{5, 3}, {2, 5, 3}, {}}), 5);
  EXPECT_EQ(count({fixed}, {{4, 3}}), 4);
  EXPECT_EQ(count({state, scalar}, {{2, 5, 3}, {}}), 2);
  EXPECT_EQ(count({scalar}, {{}}), 1);
  EXPECT_EQ(count({open}, {{0, 3}}), 0);
}

}  // namespace
}  // namespace preon
