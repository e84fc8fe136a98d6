// CipherKey: the secret that models are encrypted with.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// Bytes that are overwritten when the object goes; it is moved, never copied.
template <size_t kSize>
class SecretBytes {
 public:
  SecretBytes() = default;
  SecretBytes(SecretBytes&& other) noexcept : bytes_(other.bytes_) { other.Wipe(); }
  SecretBytes& operator=(SecretBytes&&) = delete;
  ~SecretBytes() { Wipe(); }

  unsigned char* data() { return bytes_.data(); }
  const unsigned char* data() const { return bytes_.data(); }

 private:
  void Wipe();
  std::array<unsigned char, kSize> bytes_{};
};

/// Overwrites text that held a secret.
void Wipe(std::string& text);

/// Of AES-256.
struct CipherKey {
  SecretBytes<32> key;
  /// The first 16 bytes of a file of 48: how AMD Quark keeps the key of its files (quark_cipher.h).
  std::optional<SecretBytes<16>> quark_start;
};

/// The environment variable that has the key where no file is named: 64 hexadecimal digits.
inline constexpr char kKeyVariable[] = "PREON_KEY";

/// The key in `file`: 32 bytes, 64 hexadecimal digits, or AMD Quark's 48 bytes; with no file, that in PREON_KEY.
/// Nothing of the key is ever in a message. Errors: kBadOptionValue for anything else, kMissingOption where there is
/// neither; those of reading. Warns where others than the owner may read the file.
Result<CipherKey> ReadKey(const std::string& file, std::vector<std::string>& warnings);

}  // namespace preon
