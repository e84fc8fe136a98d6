#include "data/labels.h"

#include <gtest/gtest.h>

#include "data/files/test_files.h"

namespace preon {
namespace {

Result<LabelFile> Load(const std::string& text) {
  const test::TestFolder folder;
  return LabelFile::Load(folder.Write("labels", text));
}

TEST(LabelsTest, LinesWithIndices) {
  const auto labels = Load("a.jpg\t7\r\nsub/b.jpg\t0\n\nc.jpg\t-1\n");
  ASSERT_TRUE(labels.ok()) << labels.status().ToString();
  EXPECT_EQ(labels->Find("a.jpg"), 7);
  EXPECT_EQ(labels->Find("other/a.jpg"), 7);  // by the file's name
  EXPECT_EQ(labels->Find("sub/b.jpg"), 0);    // by the path
  EXPECT_EQ(labels->Find("c.jpg"), -1);
  EXPECT_EQ(labels->Find("b.jpg"), std::nullopt);
}

TEST(LabelsTest, NamesBecomeIndicesInByteOrder) {
  const auto labels = Load("{\"a\": \"zebra\", \"b\": \"cat\", \"c\": \"dog\", \"d\": \"cat\"}");
  ASSERT_TRUE(labels.ok()) << labels.status().ToString();
  EXPECT_EQ(labels->Find("a"), 2);
  EXPECT_EQ(labels->Find("b"), 0);
  EXPECT_EQ(labels->Find("c"), 1);
  EXPECT_EQ(labels->Find("d"), 0);
}

TEST(LabelsTest, JsonWithIndices) {
  const auto labels = Load(" {\"a\": 3, \"b\": \"12\"}");
  ASSERT_TRUE(labels.ok()) << labels.status().ToString();
  EXPECT_EQ(labels->Find("a"), 3);
  EXPECT_EQ(labels->Find("b"), 12);
}

TEST(LabelsTest, RefusesWhatCanNotBeRead) {
  for (const char* text : {"", "a.jpg 7\n", "a\tb\tc\n", "\t7\n", "a\t\n", "{\"a\": 1.5}", "{\"a\": [1]}", "{\"a\": 1",
                           "{}", "a\t1\na\t2\n"}) {
    EXPECT_EQ(Load(text).status().id(), ErrorId::kLabels) << text;
  }
  EXPECT_EQ(LabelFile::Load("/no/such/file").status().id(), ErrorId::kDataNotFound);
  EXPECT_NE(Load("a\t1\nb 2\n").status().message().find("labels:2: got 'b 2', wanted NAME<TAB>CLASS"),
            std::string::npos);
}

}  // namespace
}  // namespace preon
