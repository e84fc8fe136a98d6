#include "search/space/study_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

class StudyFileTest : public ::testing::Test {
 protected:
  StudyFileTest() : folder_(*TempDir::Create(::testing::TempDir())), path_(folder_.File("a.study")) {}

  Result<StudyFile> Open(const std::string& options = "method=minmax") {
    return StudyFile::Open(path_, {{"model", "abc"}, {"options", options}});
  }
  void Begin() {
    Result<StudyFile> study = Open();
    ASSERT_TRUE(study.ok()) << study.status().message();
    SearchTrial trial{.config = R"({"method":"minmse"})", .sqnr_db = 21.5, .agreement = 0.9, .size_bytes = 77};
    ASSERT_TRUE(study->Append({1.0, std::nullopt, 0.25}, trial).ok());
    trial.failed = "no \"model\"\n";
    ASSERT_TRUE(study->Append({0.0, 2.0, std::nullopt}, trial).ok());
  }

  TempDir folder_;
  std::string path_;
};

TEST_F(StudyFileTest, WhatWasTriedIsThereAgain) {
  Begin();
  const Result<StudyFile> study = Open();
  ASSERT_TRUE(study.ok()) << study.status().message();
  ASSERT_EQ(study->trials().size(), 2u);
  EXPECT_EQ(study->points()[0], (Point{1.0, std::nullopt, 0.25}));
  EXPECT_EQ(study->trials()[0].config, R"({"method":"minmse"})");
  EXPECT_EQ(study->trials()[0].sqnr_db, 21.5);
  EXPECT_EQ(study->trials()[0].agreement, 0.9);
  EXPECT_EQ(study->trials()[0].speedup, std::nullopt);
  EXPECT_EQ(study->trials()[1].failed, "no \"model\"\n");
}

TEST_F(StudyFileTest, AnUnfinishedLineIsRemovedWhereverItEnds) {
  Begin();
  const std::string whole = *ReadFile(path_);
  const size_t second = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(WriteFileAtomically(path_, whole.substr(0, size)).ok());
    Result<StudyFile> study = Open();
    ASSERT_TRUE(study.ok()) << size << ": " << study.status().message();
    EXPECT_LE(study->trials().size(), size >= second ? 1u : 0u + (size > 0 ? 1u : 0u));
    ASSERT_TRUE(study->Append({0.0, 0.0, 0.0}, {.config = "{}"}).ok());
    const size_t tried = study->trials().size();
    study = Error(ErrorId::kIoRead, "closed");
    study = Open();
    ASSERT_TRUE(study.ok()) << size << ": " << study.status().message();
    EXPECT_EQ(study->trials().size(), tried);
    study = Error(ErrorId::kIoRead, "closed");
  }
}

TEST_F(StudyFileTest, AnotherSearchIsAnError) {
  Begin();
  const Result<StudyFile> other = Open("method=minmse");
  EXPECT_EQ(other.status().id(), ErrorId::kConflictingOptions);
  EXPECT_THAT(other.status().message(), HasSubstr("was made with other options"));
}

TEST_F(StudyFileTest, TwoSearchesDoNotWriteToOne) {
  const Result<StudyFile> study = Open();
  ASSERT_TRUE(study.ok());
  EXPECT_EQ(Open().status().id(), ErrorId::kConflictingOptions);
}

TEST_F(StudyFileTest, OtherFilesAreLeftAsTheyAre) {
  for (const std::string text : {"a photo", "{}\n", "{\"study\": 1}\n", "[1]\n", "not json\n{}\n"}) {
    ASSERT_TRUE(WriteFileAtomically(path_, text).ok());
    EXPECT_EQ(Open().status().id(), ErrorId::kBadConfig) << text;
    EXPECT_EQ(*ReadFile(path_), text);
  }
}

TEST_F(StudyFileTest, LinesOfAnotherKindAreAnError) {
  Begin();
  const std::string whole = *ReadFile(path_);
  ASSERT_TRUE(WriteFileAtomically(path_, whole + "{\"point\": 3}\n").ok());
  EXPECT_EQ(Open().status().id(), ErrorId::kBadConfig);
}

}  // namespace
}  // namespace preon
