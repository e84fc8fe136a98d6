// Inside runtime/: what the custom operators have in common.
#pragma once

#include <exception>

#include "base/parallel.h"
#include "runtime/ort_guard.h"

namespace preon {

/// Runs `body`; what it throws becomes the runtime's kind of error, since nothing may be thrown through its frames.
template <typename Body>
OrtStatusPtr AsOrtStatus(Body&& body) {
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    return Ort::GetApi().CreateStatus(ORT_FAIL, error.what());
  }
}

/// For a library that is not linked with a runtime: the host's is ours from now on. Null, or why it can't be, in words
/// that name the library.
OrtStatus* TakeOverRuntime(const OrtApiBase* runtime, const char* library);

/// The `threads` threads of the session that runs a kernel, while it does.
ParallelFor RuntimeThreads(const Ort::KernelContext& context, size_t threads);

/// The operator's output 0 is its input 0 under the same address, whoever else reads that.
void AliasOutputWithInput(OrtCustomOp& op);

}  // namespace preon
