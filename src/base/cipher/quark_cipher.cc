#include "base/cipher/quark_cipher.h"

#include <algorithm>

#include "base/cipher/evp_cipher.h"

namespace preon {
namespace {

constexpr size_t kBlockBytes = 16;

bool BeginsWith(std::string_view file, const SecretBytes<kBlockBytes>& start) {
  return std::equal(file.begin(), file.begin() + kBlockBytes, start.data(),
                    [](char read, unsigned char wanted) { return static_cast<unsigned char>(read) == wanted; });
}

}  // namespace

Result<std::string> DecryptQuark(std::string_view file, const CipherKey& key) {
  PREON_CHECK(key.quark_start.has_value());
  const Status failed = Error(ErrorId::kNotDecrypted,
                              "is no file that AMD Quark encrypted with this key, or it was changed or cut short");
  if (file.size() < 2 * kBlockBytes || file.size() % kBlockBytes != 0 || !BeginsWith(file, *key.quark_start))
    return failed;
  EvpCipher cipher(EVP_aes_256_cbc(), key.key.data(), key.quark_start->data(), CipherWay::kDecrypt);
  std::string content;
  content.reserve(file.size() + kBlockBytes);
  cipher.Update(file.substr(kBlockBytes), content);
  if (cipher.Finish(content)) return content;
  Wipe(content);
  return failed;
}

}  // namespace preon
