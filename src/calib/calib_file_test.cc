#include "calib/calib_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"
#include "calib/test_calibrations.h"
#include "data/sample_runs.h"

namespace preon {
namespace {

using testing::HasSubstr;

TEST(CalibFile, SaveThenLoadKeepsEverything) {
  const Result<TempDir> dir = TempDir::Create(testing::TempDir());
  ASSERT_TRUE(dir.ok());
  const std::string path = dir->File("a.calib");
  CalibrationData data = test::PartOf(0, 1, 10);
  data.activation = "int8";
  ASSERT_TRUE(SaveCalibration(data, path).ok());
  const Result<CalibrationData> loaded = LoadCalibration(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->model_fingerprint, data.model_fingerprint);
  EXPECT_EQ(loaded->setup, data.setup);
  EXPECT_EQ(loaded->shared, data.shared);
  EXPECT_EQ(loaded->origins, data.origins);
  EXPECT_EQ(loaded->activation, "int8");
  EXPECT_EQ(loaded->samples, (SampleRuns{{0, 10}}));
  EXPECT_EQ(loaded->sample_count(), 10);
  EXPECT_EQ(loaded->tensors.at("conv").min(), data.tensors.at("conv").min());
  EXPECT_EQ(SerializeCalibration(*loaded), SerializeCalibration(data));
}

TEST(CalibFile, NothingObservedIsAFileToo) {
  CalibrationData empty;
  empty.tensors.emplace("t", TensorSketch());
  EXPECT_EQ(SerializeCalibration(*ParseCalibration(SerializeCalibration(empty))), SerializeCalibration(empty));
}

TEST(CalibFile, SaysWhatIsWrongAndWhere) {
  const std::string bytes = SerializeCalibration(test::PartOf(0, 1, 2));
  const auto message = [](const std::string& damaged) { return ParseCalibration(damaged).status().message(); };
  EXPECT_EQ(message(""), "not a .calib file");
  EXPECT_EQ(message("PK\3\4 some other file"), "not a .calib file");
  EXPECT_EQ(message("preon-calib 3\n..."), "format version '3'; this version of preon reads 4");
  EXPECT_EQ(message("preon-calib 4\n"), "cut short: the file is damaged");
  std::string changed = bytes;
  changed[40] ^= 1;
  EXPECT_EQ(message(changed), "checksum differs: the file is damaged");
  EXPECT_EQ(ParseCalibration(changed).status().id(), ErrorId::kCalibFileMalformed);

  const Result<TempDir> dir = TempDir::Create(testing::TempDir());
  const std::string path = dir->File("bad.calib");
  ASSERT_TRUE(WriteFileAtomically(path, changed).ok());
  EXPECT_THAT(LoadCalibration(path).status().message(), HasSubstr("bad.calib: checksum differs"));
  EXPECT_EQ(LoadCalibration(dir->File("absent.calib")).status().id(), ErrorId::kCalibFileMalformed);
}

TEST(CalibFile, EveryTruncationIsAnError) {
  const std::string bytes = SerializeCalibration(test::PartOf(0, 1, 2));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ParseCalibration(bytes.substr(0, size)).status().id(), ErrorId::kCalibFileMalformed) << size;
    if (size >= 14 + 64) {
      EXPECT_EQ(ParseCalibration(test::WithChecksum(bytes.substr(0, size))).status().id(), ErrorId::kCalibFileMalformed)
          << size;
    }
  }
}

/// With two tensors that follow from "relu".
CalibrationData WithDerived() {
  CalibrationData data = test::PartOf(0, 2, 5);
  data.derived = {{"gate", {"relu", {ScalarFunction::Gate::kHardSigmoid, 0.25f, 0.5f}}},
                  {"product", {"relu", {ScalarFunction::Gate::kSigmoid, 0, 0, true}}}};
  for (const auto& [tensor, derived] : data.derived) data.tensors.emplace(tensor, TensorSketch());
  DeriveSketches(data);
  return data;
}

TEST(CalibFile, DerivedTensorsAreKept) {
  const CalibrationData data = WithDerived();
  const Result<CalibrationData> loaded = ParseCalibration(SerializeCalibration(data));
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->derived, data.derived);
  EXPECT_EQ(SerializeCalibration(*loaded), SerializeCalibration(data));
}

TEST(CalibFile, DerivedTensorsHaveASketchAndASource) {
  const auto message = [](void (*change)(CalibrationData&)) {
    CalibrationData data = WithDerived();
    change(data);
    return ParseCalibration(SerializeCalibration(data)).status().message();
  };
  for (void (*change)(CalibrationData&) : {
           +[](CalibrationData& d) { d.tensors.erase("gate"); },
           +[](CalibrationData& d) { d.derived["gate"].source = "elsewhere"; },
           +[](CalibrationData& d) { d.derived["gate"].source = "product"; },
       }) {
    EXPECT_THAT(message(change), HasSubstr("derived from no tensor"));
  }
  EXPECT_THAT(message([](CalibrationData& d) { d.derived["gate"].function.alpha = 0; }),
              HasSubstr("an unknown function"));
  EXPECT_THAT(message([](CalibrationData& d) { d.derived["product"].function.beta = 1; }),
              HasSubstr("an unknown function"));
  EXPECT_THAT(message([](CalibrationData& d) { d.tensors.at("relu") = TensorSketch({.mode = SketchMode::kExact}); }),
              HasSubstr("derived in exact mode"));
  EXPECT_THAT(message([](CalibrationData& d) { d.tensors.at("gate") = TensorSketch({.channels = 1}); }),
              HasSubstr("derived with channel extremes"));
}

// Behind a checksum that fits: what is accepted must be canonical, so that equal data have equal bytes.
TEST(CalibFile, MutationsAreRefusedOrCanonical) {
  const std::string bytes = SerializeCalibration(WithDerived());
  size_t refused = 0;
  for (size_t position = 14; position < bytes.size() - 64; ++position) {
    for (int change : {0x01, 0x80, 0xff, 0x3c}) {
      std::string changed = bytes;
      changed[position] = static_cast<char>(changed[position] ^ change);
      changed = test::WithChecksum(changed);
      const Result<CalibrationData> data = ParseCalibration(changed);
      refused += !data.ok();
      if (data.ok()) {
        EXPECT_EQ(SerializeCalibration(*data), changed) << position;
      } else {
        EXPECT_EQ(data.status().id(), ErrorId::kCalibFileMalformed) << position;
      }
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(CalibFile, NonCanonicalOrderIsRefused) {
  CalibrationData data = test::PartOf(0, 1, 3);
  data.samples = {{2, 3}, {0, 1}};
  EXPECT_THAT(ParseCalibration(SerializeCalibration(data)).status().message(), HasSubstr("samples are not in order"));
}

TEST(CalibFile, OriginsAreOfItsTensorsEachOnce) {
  CalibrationData data = test::PartOf(0, 1, 3);
  data.origins.push_back({"elsewhere", "Add"});
  EXPECT_THAT(ParseCalibration(SerializeCalibration(data)).status().message(), HasSubstr("the origin of no tensor"));
  data.origins.back() = {"conv", "Add"};
  EXPECT_THAT(ParseCalibration(SerializeCalibration(data)).status().message(), HasSubstr("the origin of no tensor"));
}

}  // namespace
}  // namespace preon
