#include "calib/data/zip.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "calib/data/byte_reader.h"
#include "calib/data/test_files.h"

namespace preon {
namespace {

using testing::TestFolder;
using testing::Zip;
using testing::ZipOf;

// Every member's bytes, or the first error.
Result<std::vector<std::string>> ReadAll(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(RandomAccessFile opened, RandomAccessFile::Open(path));
  const auto file = std::make_shared<const RandomAccessFile>(std::move(opened));
  PREON_ASSIGN_OR_RETURN(const std::vector<ZipMember> members, ListZipMembers(*file));
  std::vector<std::string> contents;
  for (const ZipMember& member : members) {
    std::string content(member.range.size_bytes, '\0');
    PREON_RETURN_IF_ERROR(MakeByteReader(file, member.range)->Read(0, std::as_writable_bytes(std::span(content))));
    contents.push_back(std::move(content));
  }
  return contents;
}

std::string Noise(size_t size_bytes) {
  std::mt19937 random(7);
  std::string text(size_bytes, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 8);
  return text;
}

TEST(ZipTest, ReadsStoredDeflatedAndZip64Members) {
  const TestFolder folder;
  const std::string large = Noise(300'000);  // several windows of packed bytes
  for (const Zip kind : {Zip::kStored, Zip::kDeflated, Zip::kZip64}) {
    const auto contents =
        ReadAll(folder.Write("a.zip", ZipOf({{"one.npy", "hello"}, {"empty", ""}, {"two.npy", large}}, kind)));
    ASSERT_TRUE(contents.ok()) << contents.status().ToString();
    EXPECT_EQ(*contents, (std::vector<std::string>{"hello", "", large}));
  }
}

TEST(ZipTest, ToleratesACommentAndLeavesFoldersOut) {
  const TestFolder folder;
  std::string archive = ZipOf({{"folder/", ""}, {"a", "x"}});
  archive[archive.size() - 2] = 5;  // length of the comment
  const auto contents = ReadAll(folder.Write("a.zip", archive + "hello"));
  ASSERT_TRUE(contents.ok()) << contents.status().ToString();
  EXPECT_EQ(*contents, std::vector<std::string>{"x"});
}

TEST(ZipTest, PackedBytesAreReadInStepsAndAgain) {
  const TestFolder folder;
  const std::string text = Noise(200'000);
  const std::string path = folder.Write("a.zip", ZipOf({{"a", text}}, Zip::kDeflated));
  auto opened = RandomAccessFile::Open(path);
  const auto file = std::make_shared<const RandomAccessFile>(std::move(*opened));
  const auto reader = MakeByteReader(file, ListZipMembers(*file)->at(0).range);
  for (const size_t offset : {10u, 100'000u, 100'007u, 5u, 199'993u}) {  // forward, adjoining, back, to the end
    std::string part(7, '\0');
    ASSERT_TRUE(reader->Read(offset, std::as_writable_bytes(std::span(part))).ok());
    EXPECT_EQ(part, text.substr(offset, 7));
  }
}

TEST(ZipTest, RefusesWhatIsNoArchiveOrCutShort) {
  const TestFolder folder;
  const std::string archive = ZipOf({{"a.npy", Noise(1000)}}, Zip::kDeflated);
  EXPECT_EQ(ReadAll(folder.Write("empty.npz", "")).status().id(), ErrorId::kDataMalformed);
  EXPECT_EQ(ReadAll(folder.Write("text.npz", "no archive at all")).status().id(), ErrorId::kDataMalformed);
  EXPECT_EQ(ReadAll(folder.Write("cut.npz", archive.substr(0, archive.size() / 2))).status().id(),
            ErrorId::kDataMalformed);
  EXPECT_EQ(ReadAll(folder.path() + "/none.npz").status().id(), ErrorId::kDataNotFound);
}

TEST(ZipTest, RefusesEncryptionAndOtherCompression) {
  const TestFolder folder;
  const std::string archive = ZipOf({{"a", "x"}});
  const size_t entry = archive.find("PK\x01\x02");
  std::string encrypted = archive, packed = archive;
  encrypted[entry + 8] = 1;
  packed[entry + 10] = 12;  // bzip2
  EXPECT_EQ(ReadAll(folder.Write("e.npz", encrypted)).status().id(), ErrorId::kDataUnsupported);
  EXPECT_EQ(ReadAll(folder.Write("p.npz", packed)).status().id(), ErrorId::kDataUnsupported);
}

TEST(ZipTest, SurvivesDamage) {
  const TestFolder folder;
  for (const Zip kind : {Zip::kStored, Zip::kDeflated, Zip::kZip64}) {
    int good = 0, refused = 0;
    testing::Damage(ZipOf({{"a.npy", "some content"}, {"b.npy", "other"}}, kind), [&](const std::string& bytes) {
      const auto contents = ReadAll(folder.Write("a.zip", bytes));
      contents.ok() ? ++good : ++refused;
    });
    EXPECT_GT(good, 0);
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace preon
