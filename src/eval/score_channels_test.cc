#include "eval/score_channels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eval/error_sums.h"

namespace preon {
namespace {

constexpr size_t kBoxes = 16;

// Boxes channel after channel: x, y in pixels and two scores.
std::vector<double> Boxes() {
  std::vector<double> values;
  for (const double channel : {100.0, 50.0, 0.9, 0.1}) {
    for (size_t box = 0; box < kBoxes; ++box) values.push_back(channel * (1 + static_cast<double>(box % 2)) / 2);
  }
  return values;
}

// Each of the values so many times: all places of a channel, channel after channel.
std::vector<double> AtAllPlaces(std::initializer_list<double> values, size_t places = kBoxes) {
  std::vector<double> repeated;
  for (const double value : values) repeated.insert(repeated.end(), places, value);
  return repeated;
}

TEST(ScoreChannels, FindsThemBesideCoordinates) {
  const std::vector<double> boxes = Boxes();
  const auto scores = ScoreChannels::Find(boxes, {1, 4, kBoxes});
  ASSERT_TRUE(scores.has_value());
  std::vector<double> other = boxes;
  other[0] += 10;            // a coordinate
  other[2 * kBoxes] -= 0.4;  // a score
  double signal = 0, noise = 0;
  scores->Add<double>(boxes, other, signal, noise);
  EXPECT_NEAR(signal, kBoxes / 2 * (0.81 + 0.2025 + 0.01 + 0.0025), 1e-12);
  EXPECT_NEAR(noise, 0.16, 1e-12);
}

TEST(ScoreChannels, AlongTheLastDimension) {
  const std::vector<double> boxes = Boxes();
  std::vector<double> turned;
  for (size_t box = 0; box < kBoxes; ++box) {
    for (size_t channel = 0; channel < 4; ++channel) turned.push_back(boxes[channel * kBoxes + box]);
  }
  EXPECT_TRUE(ScoreChannels::Find(turned, {1, kBoxes, 4}).has_value());
}

// Rows of x, y in pixels, a class and a score, the best first, as detectors with an end in the graph give them.
TEST(ScoreChannels, RowsThatAreRankedCountTimesTheirScore) {
  std::vector<double> rows;
  for (size_t row = 0; row < kBoxes; ++row)
    for (const double value : {100.0, 200.0 + static_cast<double>(row), 1.0, row == 0 ? 0.9 : 0.001})
      rows.push_back(value);
  const Shape shape = {1, kBoxes, 4};
  const auto scores = ScoreChannels::Find(rows, shape);
  ASSERT_TRUE(scores && scores->ranked());
  std::vector<double> other = rows;
  other[4 * (kBoxes - 1)] = 300;  // another box in the last row
  const std::vector<double> weighed = scores->Weighed(other, rows);
  EXPECT_NEAR(weighed[0], 90, 1e-9);
  EXPECT_NEAR(weighed[4 * (kBoxes - 1)], 0.3, 1e-9);
  const ErrorSums sums =
      ErrorSumsOf(Tensor::FromFloats(shape, std::vector<float>(rows.begin(), rows.end())),
                  Tensor::FromFloats(shape, std::vector<float>(other.begin(), other.end())), &*scores);
  EXPECT_GT(10 * std::log10(sums.signal / sums.noise), 50);
  std::swap(rows[3], rows[7]);
  EXPECT_FALSE(ScoreChannels::Find(rows, shape)->ranked());
}

TEST(ScoreChannels, NoneWhereAllAreScoresOrCoordinatesOrNear) {
  const Shape shape = {1, 2, kBoxes};
  EXPECT_TRUE(ScoreChannels::Find(AtAllPlaces({100, 0.5}), shape).has_value());
  for (const auto& two : {AtAllPlaces({0.1, 0.3}), AtAllPlaces({10, 30}), AtAllPlaces({1.5, 0.9}),
                          AtAllPlaces({100, 0})})  // nothing to compare
    EXPECT_FALSE(ScoreChannels::Find(two, shape).has_value());
}

TEST(ScoreChannels, NoneInARowOfNumbersAmongWhichSomeLieBetween0And1) {
  for (const Shape& row : {Shape{2}, Shape{1, 2}, Shape{1, 1, 1, 2}})
    EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{100, 0.5}, row).has_value());
  EXPECT_FALSE(ScoreChannels::Find(AtAllPlaces({100, 0.5}, kBoxes - 1), {1, 2, kBoxes - 1}).has_value());
}

}  // namespace
}  // namespace preon
