#include "instrument/collector_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

// Statistics without tensors, told apart by the numbers of their samples.
CalibrationData Samples(int64_t first, int64_t last) {
  CalibrationData data;
  data.samples = {{first, last}};
  return data;
}

class CollectorFileTest : public ::testing::Test {
 protected:
  // What a process with number 1 chooses while nothing has the name.
  CollectorFile Chosen() const { return {.path = name_, .keep_others = true, .wanted = name_}; }
  SampleRuns Saved(const std::string& name) const { return LoadCalibration(folder_.File(name))->samples; }
  int Files() const { return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_.path()), {})); }

  const TempDir folder_ = TempDir::Create(::testing::TempDir()).value();
  const std::string name_ = folder_.File("h-1.calib");
};

// Two containers: both saw that the name was free, each has process number 1.
TEST_F(CollectorFileTest, ProcessesWithOneNumberKeepTheirFilesApart) {
  CollectorFile one = Chosen(), two = Chosen(), three = Chosen();
  ASSERT_TRUE(SaveCollected(Samples(0, 5), one).ok());
  ASSERT_TRUE(SaveCollected(Samples(100, 103), two).ok());
  ASSERT_TRUE(SaveCollected(Samples(200, 201), three).ok());
  ASSERT_TRUE(SaveCollected(Samples(0, 7), one).ok());
  ASSERT_TRUE(SaveCollected(Samples(100, 109), two).ok());
  EXPECT_EQ(Saved("h-1.calib"), Samples(0, 7).samples);
  EXPECT_EQ(Saved("h-1-2.calib"), Samples(100, 109).samples);
  EXPECT_EQ(Saved("h-1-3.calib"), Samples(200, 201).samples);
  EXPECT_EQ(Files(), 3);
}

// A file that was fetched while its process runs leaves its name to others.
TEST_F(CollectorFileTest, TheNameOfAFileThatWasMovedAwayMayBeTaken) {
  CollectorFile one = Chosen(), two = Chosen();
  ASSERT_TRUE(SaveCollected(Samples(0, 5), one).ok());
  std::filesystem::remove(name_);
  ASSERT_TRUE(SaveCollected(Samples(100, 103), two).ok());
  ASSERT_TRUE(SaveCollected(Samples(0, 7), one).ok());
  EXPECT_EQ(Saved("h-1.calib"), Samples(100, 103).samples);
  EXPECT_EQ(Saved("h-1-2.calib"), Samples(0, 7).samples);
}

TEST_F(CollectorFileTest, NamesWithoutFieldsAreOverwritten) {
  ASSERT_TRUE(WriteFileAtomically(name_, "of an earlier process").ok());
  CollectorFile file{.path = name_};
  ASSERT_TRUE(SaveCollected(Samples(0, 5), file).ok());
  EXPECT_EQ(Saved("h-1.calib"), Samples(0, 5).samples);
  EXPECT_EQ(Files(), 1);
}

}  // namespace
}  // namespace preon
