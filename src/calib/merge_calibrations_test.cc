#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "calib/test_calibrations.h"

namespace preon {
namespace {

using testing::HasSubstr;

TEST(MergeCalibrations, ShardsInAnyOrderGiveTheBytesOfOneRun) {
  for (SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
    const std::string whole = SerializeCalibration(test::PartOf(0, 1, 22, mode));
    std::vector<int> order = {0, 1, 2, 3};
    do {
      std::vector<CalibrationData> parts;
      for (int shard : order) parts.push_back(test::PartOf(shard, 4, 22, mode));
      const Result<CalibrationData> merged = MergeCalibrations(std::move(parts));
      ASSERT_TRUE(merged.ok()) << merged.status().ToString();
      EXPECT_EQ(SerializeCalibration(*merged), whole);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(MergeCalibrations, OfMergesIsTheSame) {
  CalibrationData first = *MergeCalibrations({test::PartOf(5, 1, 9), test::PartOf(0, 1, 5)});
  CalibrationData second = *MergeCalibrations({test::PartOf(12, 1, 13), test::PartOf(9, 1, 12)});
  EXPECT_EQ(SerializeCalibration(*MergeCalibrations({std::move(second), std::move(first)})),
            SerializeCalibration(test::PartOf(0, 1, 13)));
}

TEST(MergeCalibrations, OnePartIsItself) {
  EXPECT_EQ(SerializeCalibration(*MergeCalibrations({test::PartOf(0, 1, 3)})),
            SerializeCalibration(test::PartOf(0, 1, 3)));
}

TEST(MergeCalibrations, TheTypeThatAllWereMadeFor) {
  const auto merged = [](const char* first, const char* second, const char* third) {
    std::vector<CalibrationData> parts{test::PartOf(0, 1, 3), test::PartOf(3, 1, 6), test::PartOf(6, 1, 9)};
    parts[0].activation = first;
    parts[1].activation = second;
    parts[2].activation = third;
    return MergeCalibrations(std::move(parts)).value().activation;
  };
  EXPECT_EQ(merged("int8", "int8", "int8"), "int8");
  EXPECT_EQ(merged("int8", "uint8", "int8"), "");
  EXPECT_EQ(merged("int8", "int8", ""), "");
}

TEST(MergeCalibrations, WhatDoesNotBelongTogether) {
  struct Case {
    void (*change)(CalibrationData&);
    const char* message;
  };
  for (const Case& c :
       {Case{[](CalibrationData& d) { d.model_fingerprint[0] = 'f'; },
             "input 2: made for another model (fingerprint f123"},
        Case{[](CalibrationData& d) { d.setup = "target=quark"; }, "input 2: made with other options: 'target=quark'"},
        Case{[](CalibrationData& d) { d.tensors.erase("relu"); }, "input 2: tensor 'relu' is missing"},
        Case{[](CalibrationData& d) { d.tensors.emplace("add", TensorSketch()); }, "tensor 'add' is only in this file"},
        Case{[](CalibrationData& d) { d.shared.clear(); }, "input 2: different tensors share ranges"},
        Case{[](CalibrationData& d) { d.derived["relu"] = {"conv", {}}; }, "input 2: different tensors are derived"},
        Case{[](CalibrationData& d) { std::swap(d.origins[0], d.origins[1]); },
             "input 2: its tensors are in another order"},
        Case{[](CalibrationData& d) { d.samples = {{2, 5}}; }, "input 2: sample 2 was seen twice"}}) {
    CalibrationData other = test::PartOf(3, 1, 6);
    c.change(other);
    const Status status = MergeCalibrations({test::PartOf(0, 1, 3), std::move(other)}).status();
    ASSERT_FALSE(status.ok()) << c.message;
    EXPECT_EQ(status.id(), ErrorId::kCalibFileMismatch);
    EXPECT_THAT(status.message(), HasSubstr(c.message));
  }
}

TEST(MergeCalibrations, ATensorThatOnePartNeverReached) {
  for (bool reached_first : {true, false}) {
    CalibrationData reached = test::PartOf(0, 1, 3), not_reached = test::PartOf(3, 1, 6);
    not_reached.tensors.at("conv") = TensorSketch();
    std::vector<CalibrationData> parts;
    parts.push_back(reached_first ? reached : not_reached);
    parts.push_back(reached_first ? not_reached : reached);
    const Result<CalibrationData> merged = MergeCalibrations(std::move(parts));
    ASSERT_TRUE(merged.ok()) << merged.status().ToString();
    EXPECT_EQ(merged->tensors.at("conv").Serialize(), reached.tensors.at("conv").Serialize());
  }
}

}  // namespace
}  // namespace preon
