#include "calib/statistics_request.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

class SomeKind final : public StatisticKind {
 public:
  std::string_view name() const override { return "some"; }
  std::unique_ptr<TensorStatistic> Make() const override { return nullptr; }
};

TEST(StatisticsRequest, AnyMemberMakesItNotEmpty) {
  const SomeKind kind;
  EXPECT_TRUE(StatisticsRequest().empty());
  EXPECT_FALSE((StatisticsRequest{.tensors = {"x"}}.empty()));
  EXPECT_FALSE((StatisticsRequest{.channel_extremes = {"x"}}.empty()));
  EXPECT_FALSE((StatisticsRequest{.channel_means = {"x"}}.empty()));
  EXPECT_FALSE((StatisticsRequest{.others = {{&kind, {"x"}}}}.empty()));
  EXPECT_TRUE((StatisticsRequest{.others = {{&kind, {}}}}.empty()));
}

TEST(StatisticsRequest, AddNamesTheTensorsOfAllStatistics) {
  const SomeKind kind;
  StatisticsRequest request;
  request.Add({.channel_extremes = {"a"}, .channel_means = {"b"}, .others = {{&kind, {"c"}}}});
  EXPECT_EQ(request.tensors, (std::set<std::string>{"a", "b", "c"}));
  request.RestrictTo({});
  EXPECT_TRUE(request.empty());
}

}  // namespace
}  // namespace preon
