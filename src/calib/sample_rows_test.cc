#include "calib/sample_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/hash.h"
#include "calib/sketch_observer.h"
#include "calib/test_calibrations.h"

namespace preon {
namespace {

using testing::HasSubstr;

TEST(SampleRows, SaveThenLoadKeepsThem) {
  const CalibrationData data = test::WithRows(test::PartOf(3, 2, 10));
  const Result<CalibrationData> loaded = ParseCalibration(SerializeCalibration(data));
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  ASSERT_TRUE(loaded->per_sample);
  ASSERT_EQ(loaded->per_sample->size(), 4u);
  const SampleRow& row = loaded->per_sample->at(2);
  EXPECT_EQ(row.index, 7);
  EXPECT_EQ(row.name, "sample 7");
  EXPECT_EQ(row.label, -7);
  EXPECT_FALSE(loaded->per_sample->at(1).label);
  EXPECT_EQ(row.tensors[0].min, data.per_sample->at(2).tensors[0].min);
  EXPECT_EQ(SerializeCalibration(*loaded), SerializeCalibration(data));
}

TEST(SampleRows, FilesWithoutThemStayTheSame) {
  CalibrationData data = test::WithRows(test::PartOf(0, 1, 5));
  data.per_sample.reset();
  EXPECT_EQ(SerializeCalibration(data), SerializeCalibration(test::PartOf(0, 1, 5)));
  EXPECT_FALSE(ParseCalibration(SerializeCalibration(data))->per_sample);
}

TEST(SampleRows, ShardsInAnyOrderGiveTheBytesOfOneRun) {
  const std::string whole = SerializeCalibration(test::WithRows(test::PartOf(0, 1, 22)));
  std::vector<int> order = {0, 1, 2, 3};
  do {
    std::vector<CalibrationData> parts;
    for (const int shard : order) parts.push_back(test::WithRows(test::PartOf(shard, 4, 22)));
    const Result<CalibrationData> merged = MergeCalibrations(std::move(parts));
    ASSERT_TRUE(merged.ok()) << merged.status().ToString();
    EXPECT_EQ(SerializeCalibration(*merged), whole);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SampleRows, OfSomePartsOnlyDoNotMerge) {
  for (const bool first : {false, true}) {
    std::vector<CalibrationData> parts = {test::PartOf(0, 2, 8), test::PartOf(1, 2, 8)};
    parts[first ? 0 : 1] = test::WithRows(std::move(parts[first ? 0 : 1]));
    const Status status = MergeCalibrations(std::move(parts)).status();
    EXPECT_EQ(status.id(), ErrorId::kCalibFileMismatch);
    EXPECT_THAT(status.message(),
                HasSubstr(first ? "input 2: has no facts per sample" : "input 2: has facts per sample"));
    EXPECT_THAT(status.hint(), HasSubstr("--per-sample"));
  }
}

TEST(SampleRows, WhatContradictsTheSketchesIsRefused) {
  const CalibrationData data = test::WithRows(test::PartOf(0, 1, 6));
  const auto message = [](const CalibrationData& changed) {
    return ParseCalibration(SerializeCalibration(changed)).status().message();
  };
  CalibrationData beyond = data;
  beyond.per_sample->at(2).tensors[0].max += 1000;
  EXPECT_THAT(message(beyond), HasSubstr("extremes differ from those of their tensors"));
  CalibrationData upside_down = data;
  upside_down.per_sample->at(2).tensors[1] = {2, 1, 0};
  EXPECT_THAT(message(upside_down), HasSubstr("facts contradict each other"));
  CalibrationData fewer = data;
  fewer.per_sample->pop_back();
  EXPECT_EQ(message(fewer), "cut short: the file is damaged");
  CalibrationData more = data;
  more.per_sample->push_back(more.per_sample->back());
  EXPECT_THAT(message(more), HasSubstr("unexpected data after the end"));
}

// Behind a checksum that fits. Cut off at its beginning, the part is not there, and the file is whole.
TEST(SampleRows, DamageIsRefusedOrCanonical) {
  const std::string bytes = SerializeCalibration(test::WithRows(test::PartOf(0, 2, 5)));
  const size_t begin = SerializeCalibration(test::PartOf(0, 2, 5)).size() - 64;
  for (size_t size = begin + 65; size < bytes.size(); ++size)
    EXPECT_EQ(ParseCalibration(test::WithChecksum(bytes.substr(0, size))).status().id(), ErrorId::kCalibFileMalformed)
        << size;
  size_t refused = 0;
  for (size_t position = begin; position < bytes.size() - 64; ++position) {
    for (const int change : {0x01, 0x80, 0xff, 0x3c}) {
      std::string changed = bytes;
      changed[position] = static_cast<char>(changed[position] ^ change);
      changed = test::WithChecksum(changed);
      const Result<CalibrationData> data = ParseCalibration(changed);
      refused += !data.ok();
      if (data.ok()) {
        EXPECT_EQ(SerializeCalibration(*data), changed) << position;
      }
    }
  }
  EXPECT_GT(refused, (bytes.size() - begin) / 2);
}

// A number of samples that no file of this size can hold.
TEST(SampleRows, APromisedCountAsksForNoMemory) {
  CalibrationData data = test::WithRows(test::PartOf(0, 1, 2));
  data.samples = {{0, int64_t{1} << 60}};
  EXPECT_EQ(ParseCalibration(SerializeCalibration(data)).status().id(), ErrorId::kCalibFileMalformed);
}

class RowsOfARun : public ::testing::Test {
 protected:
  static Batch ThreeSamples() {
    return {
        .samples = 3, .first_sample = 4, .sample_step = 2, .names = {"a", "b", "c"}, .labels = {1, std::nullopt, 3}};
  }
  const std::vector<float> values_ = {1, -2, 3, 4, 5, -6};
};

TEST_F(RowsOfARun, TellTheSamplesOfABatchApart) {
  SketchObserver observer({.tensors = {"y", "x"}}, SketchMode::kSampled);
  const Batch batch = ThreeSamples();
  std::vector<SampleRow> rows;
  observer.BeginRun(batch, &rows);
  observer.Observe(0, {values_.data(), {3, 2}, 1}, {});
  ASSERT_TRUE(observer.EndRun().ok());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].index, 6);
  EXPECT_EQ(rows[2].name, "c");
  EXPECT_EQ(rows[2].label, 3);
  EXPECT_EQ(rows[2].tensors[0].min, -6);  // by name: x comes first
  EXPECT_EQ(rows[1].tensors[0].max, 4);
  EXPECT_TRUE(rows[0].tensors[1].empty());  // y was not reached
}

TEST_F(RowsOfARun, ShareWhatCanNotBeToldApart) {
  SketchObserver observer({.tensors = {"x"}}, SketchMode::kSampled);
  const Batch batch = ThreeSamples();
  std::vector<SampleRow> rows;
  observer.BeginRun(batch, &rows);
  observer.Observe(0, {values_.data(), {2, 3}, 1}, {});
  ASSERT_TRUE(observer.EndRun().ok());
  for (const SampleRow& row : rows) {
    EXPECT_EQ(row.tensors[0].min, -6);
    EXPECT_EQ(row.tensors[0].max, 5);
  }
}

}  // namespace
}  // namespace preon
