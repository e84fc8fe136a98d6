// Inside runtime/: ONNX Runtime's C++ API, its process-wide environment, and its exceptions turned into Status.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "onnxruntime_cxx_api.h"
#include "runtime/runtime_words.h"

namespace preon {

/// The runtime's environment: one per process, silent, made at the first call and never taken apart. CPU memory comes
/// from an arena that grows by what is asked for (the runtime's default doubles), shared by all sessions.
/// Throws Ort::Exception.
const Ort::Env& SharedOrtEnv();

/// The runtime has one kind of exception for everything.
bool IsOutOfMemory(std::string_view words);

/// Runs `body`, which may throw what the runtime throws; `where...` goes in front of its words.
template <typename Body, typename... Where>
Status GuardOrt(ErrorId id, Body&& body, const Where&... where) {
  try {
    std::forward<Body>(body)();
    return Status::Ok();
  } catch (const Ort::Exception& error) {
    RuntimeWords words = Readable(error.what());
    return Error(IsOutOfMemory(error.what()) ? ErrorId::kOutOfMemory : id, where..., words.text)
        .WithHint(std::move(words.hint));
  } catch (const std::bad_alloc&) {
    return Error(ErrorId::kOutOfMemory, where..., "out of memory");
  }
}

}  // namespace preon
