#include "base/context.h"

#include <algorithm>
#include <filesystem>

#include "base/system.h"

namespace preon {

Status RunContext::CheckCancelled() const {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return Error(ErrorId::kCancelled, "interrupted");
  return Status::Ok();
}

// More than cores would wait for each other in turns: the runtime's threads spin.
int RunContext::ThreadCount() const {
  const int cores = AvailableCores();
  return threads > 0 ? std::min(threads, cores) : cores;
}

std::string RunContext::TempDir() const {
  if (!tmp_dir.empty()) return tmp_dir;
  std::error_code error;  // $TMPDIR may name what is no folder
  const std::filesystem::path system = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : system.string();
}

}  // namespace preon
