#include "base/cipher/sealed_file.h"

#include <openssl/rand.h>
#include <sys/stat.h>

#include <array>
#include <new>

#include "base/cipher/evp_cipher.h"
#include "base/descriptor.h"
#include "base/file_kind.h"

namespace preon {
namespace {

constexpr char kVersion = 1;
constexpr size_t kNonceBytes = 12, kTagBytes = 16;
constexpr size_t kHeaderBytes = kSealedBegin.size() + 1 + kNonceBytes;

// A cipher that has taken the header in. Its nonce is the header's last part.
EvpCipher CipherOf(std::string_view header, const CipherKey& key, CipherWay way) {
  EvpCipher cipher(EVP_aes_256_gcm(), key.key.data(), RawBytes(header.substr(header.size() - kNonceBytes)), way);
  cipher.Authenticate(header);
  return cipher;
}

Status NotDecrypted() {
  return Error(ErrorId::kNotDecrypted, "the key is another one, or the file was changed or cut short");
}

}  // namespace

std::string Seal(std::string_view content, const CipherKey& key) {
  std::string sealed(kSealedBegin);
  sealed.reserve(kHeaderBytes + content.size() + kTagBytes + EVP_MAX_BLOCK_LENGTH);
  sealed += kVersion;
  std::array<unsigned char, kNonceBytes> nonce;
  PrepareOpenSsl();
  // Without randomness of its own the library can't have been set up.
  PREON_CHECK(RAND_bytes(nonce.data(), nonce.size()) == 1);
  sealed.append(reinterpret_cast<const char*>(nonce.data()), nonce.size());
  EvpCipher cipher = CipherOf(sealed, key, CipherWay::kEncrypt);
  cipher.Update(content, sealed);
  PREON_CHECK(cipher.Finish(sealed));
  std::array<unsigned char, kTagBytes> tag;
  cipher.GetTag(tag);
  sealed.append(reinterpret_cast<const char*>(tag.data()), tag.size());
  return sealed;
}

Result<std::string> Unseal(std::string_view sealed, const CipherKey& key) {
  if (sealed.size() < kHeaderBytes + kTagBytes || !sealed.starts_with(kSealedBegin) ||
      sealed[kSealedBegin.size()] != kVersion)
    return NotDecrypted();
  EvpCipher cipher = CipherOf(sealed.substr(0, kHeaderBytes), key, CipherWay::kDecrypt);
  const std::string_view tag = sealed.substr(sealed.size() - kTagBytes);
  std::string content;
  content.reserve(sealed.size());
  cipher.Update(sealed.substr(kHeaderBytes, sealed.size() - kHeaderBytes - kTagBytes), content);
  cipher.ExpectTag(tag);
  if (cipher.Finish(content)) return content;
  Wipe(content);
  return NotDecrypted();
}

bool IsSealedFile(const std::string& path) {
  // A pipe would keep the caller waiting, and would be read here.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  std::array<char, kSealedBegin.size()> begin;
  return file && fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
         pread(file.get(), begin.data(), begin.size(), 0) == std::ssize(begin) &&
         std::string_view(begin.data(), begin.size()) == kSealedBegin;
}

}  // namespace preon
