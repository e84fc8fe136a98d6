// EvpCipher: OpenSSL's ciphers over texts of any size.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/openssl.h"

namespace preon {

/// As OpenSSL takes it.
inline const unsigned char* RawBytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

enum class CipherWay : int { kDecrypt = 0, kEncrypt = 1 };

/// One text. Throws std::bad_alloc where OpenSSL has no memory, which is all that can fail before Finish().
class EvpCipher {
 public:
  EvpCipher(const EVP_CIPHER* kind, const unsigned char* key, const unsigned char* start, CipherWay way);

  /// Text that is not encrypted, but belongs to what the tag covers.
  void Authenticate(std::string_view text);
  /// Adds what becomes of `text` to `out`.
  void Update(std::string_view text, std::string& out);
  /// False: the tag is another one, or the padding is none.
  bool Finish(std::string& out);
  /// After Finish.
  void GetTag(std::span<unsigned char> tag);
  /// Before Finish.
  void ExpectTag(std::string_view tag);

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

}  // namespace preon
