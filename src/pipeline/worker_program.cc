#include "pipeline/worker_program.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace preon {
namespace fs = std::filesystem;

Result<std::string> WorkerProgram(const std::string& given) {
  if (!given.empty()) return given;
  std::vector<fs::path> candidates;
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&WorkerProgram), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code ignored;
    candidates.push_back(fs::weakly_canonical(here.dli_fname, ignored).parent_path().parent_path() / "bin" / "preon");
  }
  if (const char* path = std::getenv("PATH")) {
    for (const std::string& folder : Split(path, ':')) candidates.push_back(fs::path(folder) / "preon");
  }
  for (const fs::path& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return Error(ErrorId::kWorkerStart,
               "--workers needs the program preon, which is neither in the folder of the library nor in PATH");
}

}  // namespace preon
