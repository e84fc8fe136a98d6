#include "data/files/zip.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "data/files/byte_reader.h"
#include "data/files/test_files.h"

namespace preon {
namespace {

using test::TestFolder;
using test::Zip;
using test::ZipOf;

// Every member's bytes, or the first error.
Result<std::vector<std::string>> ReadAll(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(RandomAccessFile opened, RandomAccessFile::Open(path));
  const auto file = std::make_shared<const RandomAccessFile>(std::move(opened));
  PREON_ASSIGN_OR_RETURN(const std::vector<ZipMember> members, ListZipMembers(*file));
  std::vector<std::string> contents;
  for (const ZipMember& member : members) {
    std::string content(member.range.size_bytes, '\0');
    const auto reader = MakeCheckedReader(file, member.range, member.name);
    PREON_RETURN_IF_ERROR(reader->Read(0, std::as_writable_bytes(std::span(content))));
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

// One bit of a member's middle changed; read whole, from behind its start, in a part before the damage, in steps.
TEST(ZipTest, ChecksTheSumOfStoredAndDeflatedMembers) {
  const TestFolder folder;
  const std::string text = Noise(200'000);
  for (const Zip kind : {Zip::kStored, Zip::kDeflated, Zip::kZip64}) {
    std::string archive = ZipOf({{"a", text}}, kind);
    const auto open = [&](const char* name) {
      auto file = std::make_shared<const RandomAccessFile>(*RandomAccessFile::Open(folder.Write(name, archive)));
      return MakeCheckedReader(file, ListZipMembers(*file)->at(0).range, "a.npz: 'a'");
    };
    std::string part(text.size(), '\0');
    const auto read = [&](ByteReader& reader, size_t offset, size_t size_bytes) {
      return reader.Read(offset, std::as_writable_bytes(std::span(part).first(size_bytes)));
    };
    const auto whole = open("good.npz");
    for (const size_t offset : {10u, 100'000u, 5u, 199'993u}) {
      ASSERT_TRUE(read(*whole, offset, 7).ok());
      EXPECT_EQ(part.substr(0, 7), text.substr(offset, 7));
    }
    archive[archive.size() / 2] ^= 1;
    for (const auto& [offset, size_bytes] :
         {std::pair<size_t, size_t>{0, 200'000}, {128, 199'872}, {10, 7}, {199'990, 10}}) {
      const auto reader = open("bad.npz");
      const Status status = read(*reader, offset, size_bytes);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.id(), ErrorId::kDataMalformed);
      if (kind != Zip::kDeflated) {
        EXPECT_EQ(status.message(), "a.npz: 'a': the CRC-32 differs: the data are damaged");
        EXPECT_EQ(read(*reader, 0, 1).id(), ErrorId::kDataMalformed);  // once damaged, always
      }
    }
  }
}

// Bytes that this process has read from files so far.
uint64_t BytesRead() {
  std::ifstream io("/proc/self/io");
  std::string name;
  uint64_t bytes = 0;
  io >> name >> bytes;  // "rchar: 123"
  return bytes;
}

TEST(ZipTest, ChecksAMemberOnceWhileItsFileStaysTheSame) {
  const TestFolder folder;
  std::string archive = ZipOf({{"a", Noise(200'000)}});
  std::vector<std::byte> part(7);
  const auto read = [&](const std::string& path) {
    const auto file = std::make_shared<const RandomAccessFile>(*RandomAccessFile::Open(path));
    return MakeCheckedReader(file, ListZipMembers(*file)->at(0).range, "a.npz: 'a'")->Read(10, part);
  };
  const std::string path = folder.Write("a.npz", archive);
  const uint64_t before = BytesRead();
  ASSERT_TRUE(read(path).ok());
  const uint64_t first = BytesRead() - before;
  EXPECT_GT(first, 200'000u);
  ASSERT_TRUE(read(path).ok());
  EXPECT_LT(BytesRead() - before - first, 100'000u);
  archive[1000] ^= 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file systems count time in steps
  EXPECT_EQ(read(folder.Write("a.npz", archive)).id(), ErrorId::kDataMalformed);
}

TEST(ZipTest, ChecksALargeMemberAtItsEnd) {
  const TestFolder folder;
  const size_t half = 40 << 20;
  std::string archive = ZipOf({{"a", std::string(2 * half, 'x')}});
  archive[1000] ^= 1;
  const auto file = std::make_shared<const RandomAccessFile>(*RandomAccessFile::Open(folder.Write("a.npz", archive)));
  const auto reader = MakeCheckedReader(file, ListZipMembers(*file)->at(0).range, "a.npz: 'a'");
  std::vector<std::byte> bytes(half);
  EXPECT_TRUE(reader->Read(128, std::span(bytes).first(half - 128)).ok());
  EXPECT_TRUE(reader->Read(500, std::span(bytes).first(100)).ok());  // again: summed once
  EXPECT_EQ(reader->Read(half, bytes).id(), ErrorId::kDataMalformed);
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
    test::Damage(ZipOf({{"a.npy", "some content"}, {"b.npy", "other"}}, kind), [&](const std::string& bytes) {
      const auto contents = ReadAll(folder.Write("a.zip", bytes));
      contents.ok() ? ++good : ++refused;
    });
    EXPECT_GT(good, 0);
    EXPECT_GT(refused, 100);
  }
}

}  // namespace
}  // namespace preon
