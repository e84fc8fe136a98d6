#include "runtime/ort_guard.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>

#include "runtime/host_runtime.h"

namespace preon {
namespace {

void ORT_API_CALL DropMessage(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

Ort::Env* MakeEnv() {
  // The process's one environment, as the host has set it up.
  if (HasRuntimeOfHost()) return std::make_unique<Ort::Env>(ORT_LOGGING_LEVEL_WARNING, "preon").release();
  // The runtime's own builds send usage data and keep a database for it, unless told not to. Who wants that says so.
  setenv("ORT_DISABLE_TELEMETRY", "1", /*overwrite=*/0);
  auto env = std::make_unique<Ort::Env>(ORT_LOGGING_LEVEL_FATAL, "preon", DropMessage, nullptr);
  constexpr int kSameAsRequested = 1;
  const Ort::ArenaCfg arena(/*max_mem=*/0, kSameAsRequested, /*initial_chunk_size_bytes=*/-1,
                            /*max_dead_bytes_per_chunk=*/-1);
  try {
    env->CreateAndRegisterAllocator(Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault), arena);
  } catch (const Ort::Exception&) {
    // The process uses the runtime itself and has registered an arena already: then that one serves.
  }
  return env.release();
}

}  // namespace

const Ort::Env& SharedOrtEnv() {
  // Made once, even if that fails: a second attempt would complain of what the first one left behind, not of its
  // reason.
  static std::exception_ptr failure;
  static const Ort::Env* const shared = []() -> const Ort::Env* {
    try {
      return MakeEnv();
    } catch (...) {
      failure = std::current_exception();
      return nullptr;
    }
  }();
  if (shared == nullptr) std::rethrow_exception(failure);
  return *shared;
}

bool IsOutOfMemory(std::string_view words) {
  constexpr std::string_view kSigns[] = {"bad_alloc", "Failed to allocate memory", "pthread_create failed",
                                         "Cannot allocate memory", "Resource temporarily unavailable"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return words.find(sign) != words.npos; });
}

}  // namespace preon
