#include "analyze/strata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::HasSubstr;

std::vector<SampleRow> RowsNamed(const std::vector<std::string>& names) {
  std::vector<SampleRow> rows;
  for (const std::string& name : names) rows.push_back({.name = name});
  return rows;
}

std::vector<std::string> NamesOf(const std::vector<SampleRow>& rows, GroupBy by) {
  const auto groups = GroupSamples(rows, by);
  std::vector<std::string> names;
  for (const SampleGroup& group : groups.value()) names.push_back(StrCat(group.name, ":", group.samples.size()));
  return names;
}

TEST(GroupSamples, ByTheFirstFolderThatDiffers) {
  EXPECT_EQ(NamesOf(RowsNamed({"p/dark/in/1.jpg", "p/dark/out/2.jpg", "p/light/1.jpg"}), GroupBy::kFolder),
            std::vector<std::string>({"dark:2", "light:1"}));
  EXPECT_EQ(NamesOf(RowsNamed({"dark/x.npz[0]", "dark/x.npz[1]", "light/y.npy[0]"}), GroupBy::kFolder),
            std::vector<std::string>({"dark:2", "light:1"}));
  EXPECT_EQ(NamesOf(RowsNamed({"p/1.jpg", "p/q/2.jpg"}), GroupBy::kFolder), std::vector<std::string>({".:1", "q:1"}));
  EXPECT_EQ(NamesOf(RowsNamed({"/a/1.jpg", "b/1.jpg"}), GroupBy::kFolder), std::vector<std::string>({":1", "b:1"}));
}

TEST(GroupSamples, ByFileAndByLabel) {
  EXPECT_EQ(NamesOf(RowsNamed({"x.npz[0]", "y.npz[0]", "x.npz[1]"}), GroupBy::kFile),
            std::vector<std::string>({"x.npz:2", "y.npz:1"}));
  std::vector<SampleRow> rows = RowsNamed({"a", "b", "c", "d"});
  rows[0].label = 10;
  rows[1].label = 9;
  rows[3].label = 10;
  EXPECT_EQ(NamesOf(rows, GroupBy::kLabel), std::vector<std::string>({"none:1", "9:1", "10:2"}));
}

TEST(GroupSamples, OneGroupIsNothingToCompare) {
  const Status folder = GroupSamples(RowsNamed({"p/1.jpg", "p/2.jpg"}), GroupBy::kFolder).status();
  EXPECT_EQ(folder.id(), ErrorId::kBadOptionValue);
  EXPECT_THAT(folder.message(), HasSubstr("--group-by folder: got 2 samples in one group, '.'"));
  EXPECT_THAT(GroupSamples(RowsNamed({"a", "b"}), GroupBy::kLabel).status().message(), HasSubstr("'none'"));
}

TEST(GroupBy, HasNames) {
  for (const GroupBy by : {GroupBy::kFolder, GroupBy::kFile, GroupBy::kLabel})
    EXPECT_EQ(ParseGroupBy(std::string(GroupByName(by))).value(), by);
  EXPECT_EQ(ParseGroupBy("size").status().id(), ErrorId::kBadOptionValue);
}

TEST(CompareGroups, EachAgainstTheOthersAndAll) {
  std::vector<SampleRow> rows = RowsNamed({"a", "b", "b", "c"});
  const SampleFacts facts[] = {{-1, 2, 1}, {-2, 4, 2}, {-8, 3, 4}, {0, 10, 0}};
  for (size_t sample = 0; sample < 4; ++sample) rows[sample].tensors = {facts[sample]};
  const std::vector<SampleGroup> groups = {{"a", {0}}, {"b", {1, 2}}, {"c", {3}}};
  const std::vector<GroupView> views = CompareGroups(groups, rows, ExtentsOf(rows, 0), 0);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[0].by_others.worst(), 5);  // the others reach beyond
  EXPECT_EQ(views[0].of_all.max, 0.2);
  EXPECT_EQ(views[1].extent.min, -8);
  EXPECT_EQ(views[1].by_others.min, 0.125);
  EXPECT_EQ(views[1].by_others.max, 2.5);
  EXPECT_EQ(views[1].outlier_ratio, 2);  // 8 over the larger of the two middle ones
  EXPECT_EQ(views[2].by_others.max, 0.4);
  EXPECT_FALSE(views[2].by_others.min);
  EXPECT_FALSE(views[2].outlier_ratio);
}

}  // namespace
}  // namespace preon
