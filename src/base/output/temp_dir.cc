#include "base/output/temp_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/context.h"
#include "base/folder.h"
#include "base/output/file_lock.h"
#include "base/output/temp_name.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "preon-";

Descriptor OpenFolder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool IsOurs(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_uid == geteuid();
}

void RemoveStale(const std::string& parent) {
  for (const fs::directory_entry& entry : EntriesOf(parent)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !AreRandomDigits(std::string_view(name).substr(kPrefix.size()))) continue;
    const Descriptor folder = OpenFolder(entry.path().string());
    std::error_code kept;
    if (folder && IsOurs(folder.get()) && TryLock(folder.get()) == LockState::kLocked)
      fs::remove_all(entry.path(), kept);
  }
}

}  // namespace

Result<TempDir> TempDir::Create(const std::string& parent) {
  if (parent == kInMemory) {
    TempDir dir;
    dir.path_ = parent;
    return dir;
  }
  RemoveStale(parent);
  while (true) {
    const std::string path = (fs::path(parent) / (std::string(kPrefix) + RandomDigits())).string();
    if (mkdir(path.c_str(), 0700) != 0) {
      return Error(ErrorId::kIoWrite, parent, ": can't make a temporary folder: ", std::strerror(errno));
    }
    TempDir dir;
    dir.path_ = path;
    dir.folder_ = OpenFolder(path);
    // Until it is locked, another process may take the folder for one that was left.
    if (!dir.folder_ && errno != ENOENT) {
      return Error(ErrorId::kIoWrite, parent, ": can't open a temporary folder: ", std::strerror(errno));
    }
    const int fd = dir.folder_.get();
    if (fd >= 0 && TryLock(fd) != LockState::kHeldByAnother && HasName(fd)) return dir;
  }
}

TempDir::TempDir(TempDir&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      folder_(std::move(other.folder_)),
      in_memory_(std::move(other.in_memory_)) {}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty() && path_ != kInMemory) fs::remove_all(path_, ignored);
}

std::string TempDir::File(std::string_view name) const {
  if (path_ != kInMemory) return (fs::path(path_) / name).string();
  auto file = in_memory_.find(name);
  if (file == in_memory_.end()) {
    Result<MemoryFile> made = MemoryFile::Create();
    if (!made.ok()) return std::string(kInMemory) + "/" + std::string(name);
    file = in_memory_.emplace(name, std::move(made).value()).first;
  }
  return file->second.path();
}

}  // namespace preon
