#include "base/cipher/sealed_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <set>

#include "base/cipher/evp_cipher.h"
#include "base/cipher/test_keys.h"
#include "base/context.h"
#include "base/output/atomic_file.h"
#include "base/output/memory_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

TEST(SealedFile, KnownVectors) {
  // McGrew and Viega, The Galois/Counter Mode of Operation, test case 16.
  const std::string key = FromHex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
  const std::string plain = FromHex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5"
      "aa0de657ba637b39");
  const std::string nonce = FromHex("cafebabefacedbaddecaf888");
  EvpCipher cipher(EVP_aes_256_gcm(), RawBytes(key), RawBytes(nonce), CipherWay::kEncrypt);
  cipher.Authenticate(FromHex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
  std::string out;
  cipher.Update(plain, out);
  ASSERT_TRUE(cipher.Finish(out));
  EXPECT_EQ(out, FromHex("522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b105682"
                         "8838c5f61e6393ba7a0abcc9f662"));
  std::array<unsigned char, 16> tag;
  cipher.GetTag(tag);
  EXPECT_EQ(std::string(tag.begin(), tag.end()), FromHex("76fc6ece0f4e1768cddf8853bb2d551b"));
}

TEST(SealedFile, GivesTheContentBack) {
  const CipherKey key = KeyOf('k');
  for (const size_t size : {0, 1, 15, 16, 17, 1000}) {
    const std::string content(size, 'x'), sealed = Seal(content, key);
    EXPECT_EQ(sealed.size(), size + 37) << "header and tag, as the form says";
    EXPECT_TRUE(sealed.starts_with("PREONENC\x01"));
    ASSERT_TRUE(Unseal(sealed, key).ok());
    EXPECT_EQ(*Unseal(sealed, key), content);
  }
}

TEST(SealedFile, NoTwoAreEqual) {
  const CipherKey key = KeyOf('k');
  std::set<std::string> nonces, ends;
  for (int file = 0; file < 100; ++file) {
    const std::string sealed = Seal("the same content", key);
    nonces.insert(sealed.substr(9, 12));
    ends.insert(sealed.substr(21));
  }
  EXPECT_EQ(nonces.size(), 100u);
  EXPECT_EQ(ends.size(), 100u);
}

TEST(SealedFile, AnotherKeyIsTold) {
  const std::string sealed = Seal("content", KeyOf('k'));
  for (int bit = 0; bit < 256; ++bit) {
    CipherKey other = KeyOf('k');
    other.key.data()[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    const Status status = Unseal(sealed, other).status();
    EXPECT_EQ(status.id(), ErrorId::kNotDecrypted);
    EXPECT_EQ(status.message(), "the key is another one, or the file was changed or cut short");
  }
}

TEST(SealedFile, EveryChangedBitIsSeen) {
  const CipherKey key = KeyOf('k');
  const std::string sealed = Seal("some content", key);
  for (size_t byte = 0; byte < sealed.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = sealed;
      changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
      EXPECT_EQ(Unseal(changed, key).status().id(), ErrorId::kNotDecrypted) << "byte " << byte << ", bit " << bit;
    }
  }
}

TEST(SealedFile, EveryOtherLengthIsSeen) {
  const CipherKey key = KeyOf('k');
  const std::string sealed = Seal("some content", key);
  for (size_t size = 0; size < sealed.size(); ++size)
    EXPECT_EQ(Unseal(sealed.substr(0, size), key).status().id(), ErrorId::kNotDecrypted) << size;
  EXPECT_EQ(Unseal(sealed + '\0', key).status().id(), ErrorId::kNotDecrypted);
  EXPECT_EQ(Unseal(sealed.substr(1), key).status().id(), ErrorId::kNotDecrypted);
}

TEST(SealedFile, IsKnownByItsBegin) {
  const MemoryFile file = *MemoryFile::Create();
  for (const auto& [content, is] : {std::pair<std::string, bool>{Seal("", KeyOf('k')), true},
                                    {"PREONEN", false},
                                    {"PREONENX and more", false},
                                    {"", false}}) {
    ASSERT_TRUE(WriteFileAtomically(file.path(), content).ok());
    EXPECT_EQ(IsSealedFile(file.path()), is) << content;
  }
  const TempDir folder = *TempDir::Create(RunContext().TempDir());
  ASSERT_EQ(mkfifo(folder.File("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(IsSealedFile(folder.File("pipe"))) << "and is not waited for";
  EXPECT_FALSE(IsSealedFile("/no/such/file"));
  EXPECT_FALSE(IsSealedFile("/"));
}

}  // namespace
}  // namespace preon
