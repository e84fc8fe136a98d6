#include "base/cipher/quark_cipher.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cipher/evp_cipher.h"
#include "base/cipher/test_keys.h"

namespace preon {
namespace {

// NIST SP 800-38A, F.2.5.
const std::string kKey = FromHex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
const std::string kStart = FromHex("000102030405060708090a0b0c0d0e0f");
const std::string kPlain = FromHex("6bc1bee22e409f96e93d7e117393172a");
const std::string kEncrypted = FromHex("f58c4c04d6e5f1ba779eabfb5f7bfbd6");

CipherKey QuarkKey() {
  CipherKey key;
  std::ranges::copy(kKey, key.key.data());
  SecretBytes<16> start;
  std::ranges::copy(kStart, start.data());
  key.quark_start.emplace(std::move(start));
  return key;
}

// What AMD Quark writes.
std::string FileOf(const std::string& content) {
  EvpCipher cipher(EVP_aes_256_cbc(), RawBytes(kKey), RawBytes(kStart), CipherWay::kEncrypt);
  std::string file = kStart;
  cipher.Update(content, file);
  EXPECT_TRUE(cipher.Finish(file));
  return file;
}

TEST(QuarkCipher, KnownVector) {
  const std::string file = FileOf(kPlain);
  EXPECT_EQ(file.substr(16, 16), kEncrypted);
  EXPECT_EQ(file.size(), 48u) << "a block of padding";
  EXPECT_EQ(*DecryptQuark(file, QuarkKey()), kPlain);
}

TEST(QuarkCipher, GivesContentOfEveryLengthBack) {
  for (size_t size = 0; size < 50; ++size)
    EXPECT_EQ(*DecryptQuark(FileOf(std::string(size, 'x')), QuarkKey()), std::string(size, 'x'));
}

TEST(QuarkCipher, WhatIsNoneIsTold) {
  const std::string file = FileOf("content");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_EQ(DecryptQuark(file.substr(0, size), QuarkKey()).status().id(), ErrorId::kNotDecrypted) << size;
  for (size_t byte = 0; byte < 16; ++byte) {
    std::string changed = file;
    changed[byte] = static_cast<char>(changed[byte] ^ 1);
    EXPECT_EQ(DecryptQuark(changed, QuarkKey()).status().id(), ErrorId::kNotDecrypted) << byte;
  }
  CipherKey other = QuarkKey();
  other.key.data()[0] ^= 1;
  EXPECT_EQ(DecryptQuark(file, other).status().id(), ErrorId::kNotDecrypted);
}

}  // namespace
}  // namespace preon
