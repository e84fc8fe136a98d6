#include "eval/score_channels.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

// Two boxes: x, y in pixels and two scores, channel after channel.
const std::vector<double> kBoxes = {100, 200, 50, 60, 0.9, 0, 0.1, 0.2};

TEST(ScoreChannels, FindsThemBesideCoordinates) {
  const auto scores = ScoreChannels::Find(kBoxes, {1, 4, 2});
  ASSERT_TRUE(scores.has_value());
  std::vector<double> other = kBoxes;
  other[0] += 10;   // a coordinate
  other[4] -= 0.5;  // a score
  double signal = 0, noise = 0;
  scores->Add<double>(kBoxes, other, signal, noise);
  EXPECT_NEAR(signal, 0.81 + 0.01 + 0.04, 1e-12);
  EXPECT_NEAR(noise, 0.25, 1e-12);
}

TEST(ScoreChannels, AlongTheLastDimension) {
  const std::vector<double> boxes = {100, 50, 0.9, 0.1, 200, 60, 0, 0.2};
  EXPECT_TRUE(ScoreChannels::Find(boxes, {1, 2, 4}).has_value());
}

TEST(ScoreChannels, NoneWhereAllAreScoresOrCoordinatesOrNear) {
  EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{0.1, 0.2, 0.3, 0.4}, {1, 2, 2}).has_value());
  EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{10, 20, 30, 40}, {1, 2, 2}).has_value());
  EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{1, 2, 0.9, 0.8}, {1, 2, 2}).has_value());
  EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{100, 200, 0, 0}, {1, 2, 2}).has_value());  // nothing to compare
  for (const Shape& row : {Shape{2}, Shape{1, 2}})
    EXPECT_FALSE(ScoreChannels::Find(std::vector<double>{100, 0.5}, row).has_value());
}

}  // namespace
}  // namespace preon
