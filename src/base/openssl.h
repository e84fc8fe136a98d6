// OpenSSL in this process.
#pragma once

namespace preon {

/// Goes before every use. The library's own clean-up at exit would come before that of whoever uses it when the process
/// ends, and under the feet of threads that still do. Throws std::bad_alloc: memory is all that can be missing.
void PrepareOpenSsl();

}  // namespace preon
