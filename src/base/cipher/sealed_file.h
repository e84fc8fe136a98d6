// Encrypted files: AES-256-GCM, so that a changed byte is seen. docs/design/encrypted-models.md
//
//   offset  bytes
//   0       8      "PREONENC"
//   8       1      version of this form: 1
//   9       12     nonce, random for each file
//   21      n      the content, encrypted
//   21 + n  16     tag over the content and all bytes in front of it
#pragma once

#include <string>
#include <string_view>

#include "base/cipher/cipher_key.h"
#include "base/status.h"

namespace preon {

/// The file of `content`. Two files of the same content have nothing in common. Cost: 1 to 3 GB/s.
/// Throws std::bad_alloc.
std::string Seal(std::string_view content, const CipherKey& key);

/// The content of a file of Seal. Errors: kNotDecrypted for every other one: made with another key, changed in any
/// byte, cut short, or of a newer version.
Result<std::string> Unseal(std::string_view sealed, const CipherKey& key);

/// Does the file begin as those of Seal? False for what can't be read, and for what is no file, such as a pipe.
bool IsSealedFile(const std::string& path);

}  // namespace preon
