#include "base/openssl.h"

#include <openssl/crypto.h>

#include <new>

namespace preon {

void PrepareOpenSsl() {
  static const bool initialized = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
  if (!initialized) throw std::bad_alloc();
}

}  // namespace preon
