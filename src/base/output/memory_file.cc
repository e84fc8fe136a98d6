#include "base/output/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace preon {
namespace {

constexpr std::string_view kFolder = "/proc/self/fd/";

}  // namespace

Result<MemoryFile> MemoryFile::Create() {
  Descriptor file(memfd_create("preon", MFD_CLOEXEC));
  if (!file) return Error(ErrorId::kIoWrite, "can't make a file in memory: ", std::strerror(errno));
  return MemoryFile(std::move(file));
}

std::string MemoryFile::path() const { return StrCat(kFolder, file_.get()); }

bool IsMemoryFile(const std::string& path) {
  constexpr std::string_view kIs = "/memfd:";
  std::array<char, kIs.size()> begin;
  return path.starts_with(kFolder) && readlink(path.c_str(), begin.data(), begin.size()) == kIs.size() &&
         std::string_view(begin.data(), begin.size()) == kIs;
}

}  // namespace preon
