#include "api/save_histograms.h"

#include <gtest/gtest.h>

#include <set>

namespace preon {
namespace {

TEST(PictureNames, UnsafeCharactersAndCollisions) {
  EXPECT_EQ(PictureNames({"/conv.1:0", "_conv_1_0", "a\\b\n", "", "plain", "_conv_1_0_2"}),
            (std::vector<std::string>{"_conv_1_0", "_conv_1_0_2", "a_b_", "_", "plain", "_conv_1_0_2_2"}));
}

TEST(PictureNames, LongNamesAreCutAndStayApart) {
  const std::vector<std::string> names =
      PictureNames({std::string(1000, 'x'), std::string(1000, 'x'), std::string(199, 'y') + "ää"});
  for (const std::string& name : names) EXPECT_LE(name.size(), 210u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 3u);
  EXPECT_EQ(names[2], std::string(199, 'y'));  // not half of a character
}

}  // namespace
}  // namespace preon
