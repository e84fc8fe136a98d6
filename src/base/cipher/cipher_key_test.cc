#include "base/cipher/cipher_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "base/cipher/test_keys.h"
#include "base/context.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

const std::string kDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";

class KeyFile {
 public:
  explicit KeyFile(const std::string& content, mode_t mode = 0600) {
    EXPECT_TRUE(WriteFileAtomically(path(), content).ok());
    EXPECT_EQ(chmod(path().c_str(), mode), 0);
  }
  std::string path() const { return folder_.File("key"); }

 private:
  TempDir folder_ = *TempDir::Create(RunContext().TempDir());
};

bool Holds(const CipherKey& key, const std::string& bytes) {
  return bytes.size() == 32 && std::memcmp(key.key.data(), bytes.data(), 32) == 0;
}

TEST(CipherKey, FormsOfFiles) {
  std::vector<std::string> warnings;
  for (const std::string& content : {FromHex(kDigits), kDigits, kDigits + "\n", kDigits + "\r\n"}) {
    const Result<CipherKey> key = ReadKey(KeyFile(content).path(), warnings);
    ASSERT_TRUE(key.ok()) << key.status().ToString();
    EXPECT_TRUE(Holds(*key, FromHex(kDigits)));
    EXPECT_FALSE(key->quark_start.has_value());
  }
  const Result<CipherKey> quark = ReadKey(KeyFile(std::string(16, 's') + FromHex(kDigits)).path(), warnings);
  ASSERT_TRUE(quark.ok());
  EXPECT_TRUE(Holds(*quark, FromHex(kDigits)));
  EXPECT_EQ(std::memcmp(quark->quark_start->data(), std::string(16, 's').data(), 16), 0);
  EXPECT_TRUE(warnings.empty());
}

TEST(CipherKey, WhatIsNoneIsToldWithoutIt) {
  std::vector<std::string> warnings;
  for (const std::string& content :
       {std::string(), std::string(31, 'S'), std::string(33, 'S'), std::string(64, 'S'), kDigits + "0"}) {
    const Status status = ReadKey(KeyFile(content).path(), warnings).status();
    EXPECT_EQ(status.id(), ErrorId::kBadOptionValue);
    EXPECT_NE(status.message().find(StrCat(content.size(), " bytes")), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find("SS"), std::string::npos);
    EXPECT_EQ(status.message().find("0001"), std::string::npos);
  }
  EXPECT_EQ(ReadKey("/no/such/key", warnings).status().id(), ErrorId::kFileNotFound);
}

// A user may take the option for one that takes the key itself.
TEST(CipherKey, WhereItIsGivenForAFileItIsNotTold) {
  std::vector<std::string> warnings;
  for (const std::string& key : {kDigits, std::string(32, 'S'), std::string(48, 'S')}) {
    const Status status = ReadKey(key, warnings).status();
    EXPECT_EQ(status.id(), ErrorId::kFileNotFound);
    EXPECT_EQ(status.ToString().find(key), std::string::npos) << status.ToString();
  }
}

// Such as a device without an end, or a model.
TEST(CipherKey, FilesOfAnySizeAreReadInPart) {
  std::vector<std::string> warnings;
  const KeyFile large(std::string(100000, 'S'));
  for (const std::string& file : {std::string("/dev/zero"), large.path()}) {
    const Status status = ReadKey(file, warnings).status();
    EXPECT_EQ(status.id(), ErrorId::kBadOptionValue);
    EXPECT_NE(status.message().find("at least 256 bytes"), std::string::npos) << status.message();
  }
}

TEST(CipherKey, WarnsOfOtherReaders) {
  for (const mode_t mode : {0400, 0600, 0640, 0604, 0644, 0660}) {
    std::vector<std::string> warnings;
    ASSERT_TRUE(ReadKey(KeyFile(kDigits, mode).path(), warnings).ok());
    EXPECT_EQ(warnings.size(), (mode & 077) == 0 ? 0u : 1u) << mode;
    if (mode == 0644) {
      EXPECT_NE(warnings.at(0).find("mode 0644"), std::string::npos) << warnings.at(0);
    }
  }
}

TEST(CipherKey, OfTheEnvironment) {
  std::vector<std::string> warnings;
  unsetenv(kKeyVariable);
  EXPECT_EQ(ReadKey("", warnings).status().id(), ErrorId::kMissingOption);
  setenv(kKeyVariable, "SSSS", 1);
  const Status status = ReadKey("", warnings).status();
  EXPECT_EQ(status.id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(status.message().find("SSSS"), std::string::npos);
  setenv(kKeyVariable, kDigits.c_str(), 1);
  const Result<CipherKey> key = ReadKey("", warnings);
  unsetenv(kKeyVariable);
  ASSERT_TRUE(key.ok());
  EXPECT_TRUE(Holds(*key, FromHex(kDigits)));
}

TEST(CipherKey, IsWipedWhenItMoves) {
  CipherKey key = KeyOf('k');
  const CipherKey other = std::move(key);
  EXPECT_TRUE(Holds(other, std::string(32, 'k')));
  EXPECT_TRUE(Holds(key, std::string(32, '\0')));  // NOLINT: what is left is the question
  std::string text = "secret that is longer than what fits into the object itself";
  const char* const place = text.data();
  const size_t size = text.size();
  Wipe(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(std::string(place + 1, size - 1), std::string(size - 1, '\0'));
}

}  // namespace
}  // namespace preon
