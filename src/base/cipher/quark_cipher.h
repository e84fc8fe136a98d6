// Files that AMD Quark encrypts in its crypto mode: 16 bytes to start with, then AES-256-CBC with PKCS7 padding.
#pragma once

#include <string>
#include <string_view>

#include "base/cipher/cipher_key.h"
#include "base/status.h"

namespace preon {

/// The content of such a file, with the key in a file of 48 bytes (CipherKey::quark_start). The form has no tag: a
/// changed file can give a changed content. Errors: kNotDecrypted where the start is another one, or the padding is
/// none.
Result<std::string> DecryptQuark(std::string_view file, const CipherKey& key);

}  // namespace preon
