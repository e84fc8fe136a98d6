#include "base/context.h"

#include <filesystem>

#include "base/system.h"

namespace preon {

Status RunContext::CheckCancelled() const {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return Error(ErrorId::kCancelled, "interrupted");
  return Status::Ok();
}

int RunContext::ThreadCount() const { return threads > 0 ? threads : AvailableCores(); }

std::string RunContext::TempDir() const {
  return tmp_dir.empty() ? std::filesystem::temp_directory_path().string() : tmp_dir;
}

}  // namespace preon
