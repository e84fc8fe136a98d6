#include "calib/statistics_request.h"

#include <gtest/gtest.h>

#include "calib/collected_statistics.h"

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
  EXPECT_EQ(request.AllTensors(), request.tensors);
  request.RestrictTo({});
  EXPECT_TRUE(request.empty());
}

// As a .calib file of a run without the algorithm, or of a served model, is restored.
TEST(LackedBy, NamesTheStatisticsThatAFileHasNot) {
  const SomeKind kind;
  CalibrationData data;
  const float values[] = {1, 2};
  data.tensors.emplace("a", TensorSketch()).first->second.Update(values);
  data.tensors.emplace("never_reached", TensorSketch());
  const StatisticsRequest wanted{.tensors = {"a", "gone"}, .others = {{&kind, {"a", "never_reached"}}}};
  const StatisticsRequest lacking = LackedBy(data, wanted);
  EXPECT_EQ(lacking.tensors, std::set<std::string>{"gone"});
  EXPECT_EQ(lacking.others.at(&kind), std::set<std::string>{"a"});
  EXPECT_EQ(LackedBy(data, {.channel_means = {"a"}}).channel_means, std::set<std::string>{"a"});
  data.statistics["some"]["a"] = "bytes";
  EXPECT_EQ(LackedBy(data, wanted).AllTensors(), std::set<std::string>{"gone"});
}

TEST(LackedBy, OfSavedStatisticsLeavesOutSketches) {
  const SomeKind kind;
  const StatisticsRequest wanted{.tensors = {"a", "b"}, .channel_means = {"a", "b"}, .others = {{&kind, {"a", "b"}}}};
  CollectedStatistics collected{.channel_means = {{"a", {1}}}};
  collected.others["some"]["b"] = "bytes";
  const StatisticsRequest lacking = LackedBy(collected, wanted);
  EXPECT_EQ(lacking.channel_means, std::set<std::string>{"b"});
  EXPECT_EQ(lacking.others.at(&kind), std::set<std::string>{"a"});
  EXPECT_TRUE(lacking.tensors.empty());
}

}  // namespace
}  // namespace preon
