#include "eval/metrics/detected_boxes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eval/metrics/metrics.h"

namespace preon {
namespace {

// An image of 32 x 64: 4 x 8 cells at stride 8, 2 x 4 at 16, 1 x 2 at 32.
constexpr int64_t kCells = 32 + 8 + 2;

Batch Images(int64_t samples = 1) {
  Batch batch{.samples = samples};
  batch.feeds = {{"images", Tensor::FromFloats({samples, 3, 32, 64}, std::vector<float>(size_t(samples) * 3 * 2048))}};
  return batch;
}

std::vector<NamedTensor> One(Shape shape, const std::vector<float>& values) {
  return {{"y", Tensor::FromFloats(std::move(shape), values)}};
}

std::vector<Box> FirstOf(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  const auto boxes = DetectedBoxes(batch, outputs);
  EXPECT_TRUE(boxes.ok()) << boxes.status().ToString();
  return boxes.ok() && !boxes->empty() ? boxes->front() : std::vector<Box>();
}

void ExpectBox(const Box& box, const std::array<double, 4>& corners, double score, int64_t label) {
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(box.corners[i], corners[i], 1e-4) << i;
  EXPECT_NEAR(box.score, score, 1e-6);
  EXPECT_EQ(box.label, label);
}

TEST(DetectedBoxes, RowsOfCornersAreTakenAsTheyAre) {
  const std::vector<Box> boxes =
      FirstOf(Images(), One({1, 3, 6}, {0, 0, 8, 8, .5f, 1, 0, 0, 8, 8, .9f, 1, 1, 1, 1, 1, 0, -1}));
  ASSERT_EQ(boxes.size(), 2);
  ExpectBox(boxes[0], {0, 0, 8, 8}, .9, 1);
  ExpectBox(boxes[1], {0, 0, 8, 8}, .5, 1);
}

TEST(DetectedBoxes, YoloxInCells) {
  std::vector<float> values(kCells * 7);  // two classes
  const auto set = [&](size_t place, std::vector<float> row) {
    std::ranges::copy(row, values.begin() + static_cast<std::ptrdiff_t>(place * 7));
  };
  // Row 1, column 2 at stride 8: centre (2.5, 1.5) * 8, size 2 x 1 cells.
  set(8 + 2, {.5f, .5f, std::log(2.f), 0, .8f, .1f, .5f});
  set(32 + 5, {0, 1, 0, 0, .5f, .9f, 0});  // row 1, column 1 at stride 16
  const std::vector<Box> boxes = FirstOf(Images(), One({1, kCells, 7}, values));
  ASSERT_EQ(boxes.size(), 3);
  ExpectBox(boxes[0], {8, 24, 24, 40}, .45, 0);
  ExpectBox(boxes[1], {12, 8, 28, 16}, .4, 1);
  ExpectBox(boxes[2], {12, 8, 28, 16}, .08, 0);
}

TEST(DetectedBoxes, RowsInPixelsWithAnObjectScore) {
  for (const int64_t places : {kCells, 3 * kCells}) {
    std::vector<float> values(static_cast<size_t>(places) * 6);  // one class
    std::ranges::copy(std::vector<float>{40, 20, 8, 4, .5f, .5f}, values.begin() + 6);
    const std::vector<Box> boxes = FirstOf(Images(), One({1, places, 6}, values));
    ASSERT_EQ(boxes.size(), 1) << places;
    ExpectBox(boxes[0], {36, 18, 44, 22}, .25, 0);
  }
}

TEST(DetectedBoxes, ColumnsOfCentresAndScores) {
  std::vector<float> values(6 * kCells);
  const auto set = [&](size_t place, const std::vector<float>& column) {
    for (size_t field = 0; field < column.size(); ++field) values[field * kCells + place] = column[field];
  };
  set(0, {10, 10, 4, 4, .9f, .3f});
  set(1, {10, 10, 4, 5, .8f, .2f});  // IoU 0.8 with the first: repeats it in both classes
  set(7, {30, 10, 4, 4, .7f, 0});
  const std::vector<Box> boxes = FirstOf(Images(), One({1, 6, kCells}, values));
  ASSERT_EQ(boxes.size(), 3);
  ExpectBox(boxes[0], {8, 8, 12, 12}, .9, 0);
  ExpectBox(boxes[1], {28, 8, 32, 12}, .7, 0);
  ExpectBox(boxes[2], {8, 8, 12, 12}, .3, 1);
}

TEST(DetectedBoxes, BoxesAndScoresApart) {
  const NamedTensor scores = {"scores", Tensor::FromFloats({1, 2, 2}, std::vector<float>{.4f, .6f, 1, 0})};
  const NamedTensor corners = {"boxes",
                               Tensor::FromFloats({1, 2, 4}, std::vector<float>{.1f, .1f, .5f, .6f, 0, 0, 1, 1})};
  std::vector<Box> boxes = FirstOf(Images(), {scores, corners});
  ASSERT_EQ(boxes.size(), 1);
  ExpectBox(boxes[0], {.1, .1, .5, .6}, .6, 0);
  // A second corner in front of the first one: these are centres and sizes.
  const NamedTensor centres = {"boxes",
                               Tensor::FromFloats({1, 2, 4}, std::vector<float>{.5f, .5f, .2f, .4f, 0, 0, 1, 1})};
  boxes = FirstOf(Images(), {scores, centres});
  ASSERT_EQ(boxes.size(), 1);
  ExpectBox(boxes[0], {.4, .3, .6, .7}, .6, 0);
}

TEST(DetectedBoxes, SamplesApart) {
  const auto boxes = DetectedBoxes(Images(2), One({2, 1, 6}, {0, 0, 1, 1, .5f, 0, 2, 2, 3, 3, .6f, 4}));
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 2);
  ExpectBox((*boxes)[1][0], {2, 2, 3, 3}, .6, 4);
}

TEST(DetectedBoxes, OtherOutputsAreRefused) {
  for (const Shape& shape : {Shape{1, 10}, Shape{1, 41, 85}, Shape{1, 5, 41}, Shape{2, 3, 6}}) {
    const std::vector<float> values(static_cast<size_t>(ElementCount(shape)));
    EXPECT_EQ(DetectedBoxes(Images(), One(shape, values)).status().id(), ErrorId::kMissingOption)
        << ShapeToString(shape);
  }
}

TEST(DetectedBoxes, WhatTheFloatModelFindsCanBeTheReference) {
  const auto metric = *FindMetric("map");
  Batch batch = Images();
  const std::vector<NamedTensor> outputs =
      One({1, 3, 6}, {0, 0, 8, 8, .9f, 1, 9, 9, 20, 20, .2f, 1, 30, 0, 40, 9, .4f, 0});
  batch.expected = *metric->ReferenceOf(batch, outputs);
  EXPECT_EQ(batch.expected.front().tensor.shape(), (Shape{1, 2, 5}));  // the one with a score of 0.2 is not sure
  const auto run = metric->Begin();
  ASSERT_TRUE(run->Add(batch, outputs).ok());
  EXPECT_EQ(ValueOf(*run), 1);
}

}  // namespace
}  // namespace preon
