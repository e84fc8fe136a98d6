#include "pipeline/saved_ranges.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"
#include "base/text.h"

namespace preon {
namespace {

class SavedRangesTest : public testing::Test {
 protected:
  const TempDir folder_ = *TempDir::Create(testing::TempDir());
  const std::string path_ = folder_.File("r.json");
};

TEST_F(SavedRangesTest, EveryBitComesBack) {
  SavedRanges saved{.model_fingerprint = "ab", .config_hash = "cd", .method = "minmax", .samples = 7};
  const float none = std::numeric_limits<float>::infinity();
  saved.ranges = {{"x", {-0.1f, 3.4028235e38f}}, {"y", {0, 1e-45f}}, {"a/b \"ä\"", {-1, 0}}};
  saved.statistics.channel_means = {{"x", {0.1, -2e-300}}};
  saved.statistics.channel_extremes = {{"x", {{-0.3f, none}, {0.7f, -none}}}};
  saved.statistics.others = {{"gram", {{"x", std::string("\0\x7f\xff", 3)}}}};
  saved.left_float = {{"n1", FloatReason::kNotReached}, {"n2", FloatReason::kNotFused}, {"n3", FloatReason::kAccuracy}};
  ASSERT_TRUE(StageRanges(saved, path_)->Commit().ok());
  const auto read = LoadSavedRanges(path_);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->ranges, saved.ranges);
  EXPECT_EQ(read->statistics.channel_means, saved.statistics.channel_means);
  EXPECT_EQ(read->statistics.channel_extremes.at("x").min, (std::vector<float>{-0.3f, none}));
  EXPECT_EQ(read->statistics.channel_extremes.at("x").max, (std::vector<float>{0.7f, -none}));
  EXPECT_EQ(read->statistics.others, saved.statistics.others);
  EXPECT_EQ(read->left_float, saved.left_float);
  EXPECT_EQ(read->model_fingerprint, "ab");
  EXPECT_EQ(read->config_hash, "cd");
  EXPECT_EQ(read->method, "minmax");
  EXPECT_EQ(read->samples, 7);
}

TEST_F(SavedRangesTest, OthersKeysStay) {
  ASSERT_TRUE(WriteFileAtomically(path_, R"({"layers_to_finetune": [3, 4], "tensors_range": {"old": [0, 1]}})").ok());
  ASSERT_TRUE(StageRanges({}, path_)->Commit().ok());
  const std::string text = *ReadFile(path_);
  EXPECT_NE(text.find("layers_to_finetune"), std::string::npos);
  EXPECT_EQ(text.find("old"), std::string::npos);
}

TEST_F(SavedRangesTest, TheReferencesLayout) {
  ASSERT_TRUE(WriteFileAtomically(path_, R"({"quark_version": "0.11", "tensors_range":
      {"input": [-2.1, 2.64], "/conv1/Conv_output_0": [[-5.5], [7.25]]}, "layers_to_finetune": [3]})")
                  .ok());
  const auto read = LoadSavedRanges(path_);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->ranges.at("input"), (Range{-2.1f, 2.64f}));
  EXPECT_EQ(read->ranges.at("/conv1/Conv_output_0"), (Range{-5.5f, 7.25f}));
  EXPECT_TRUE(read->model_fingerprint.empty());
}

TEST_F(SavedRangesTest, NoFile) { EXPECT_EQ(LoadSavedRanges(path_).status().id(), ErrorId::kFileNotFound); }

}  // namespace
}  // namespace preon
