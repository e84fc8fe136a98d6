#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTempMarker = ".preon-tmp-";

Status ReadError(const std::string& path) {
  return Error(ErrorId::kIoRead, path, ": can't read: ", std::strerror(errno));
}

Status WriteError(const std::string& path) {
  return Error(ErrorId::kIoWrite, path, ": can't write: ", std::strerror(errno));
}

std::string TempPrefix(const fs::path& path) { return "." + path.filename().string() + std::string(kTempMarker); }

fs::path FolderOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Where a write to `path` ends up. A rename would put the file in a link's place.
std::string BehindLinks(fs::path path) {
  constexpr int kMaxLinks = 40;  // Linux's limit
  std::error_code error;
  for (int link = 0; link < kMaxLinks && fs::is_symlink(path, error); ++link) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path.string();
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ReadError(path);
  std::string text;
  struct stat info;
  if (fstat(fd, &info) == 0 && info.st_size > 0) text.reserve(static_cast<size_t>(info.st_size));
  char buffer[1 << 16];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(got));
  const int saved = errno;
  close(fd);
  errno = saved;
  if (got < 0) return ReadError(path);
  return text;
}

Result<MappedFile> MapFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ReadError(path);
  struct stat info;
  if (fstat(fd, &info) != 0) {
    const int saved = errno;
    close(fd);
    errno = saved;
    return ReadError(path);
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    close(fd);
    return MappedFile{};
  }
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int saved = errno;
  close(fd);
  errno = saved;
  if (memory == MAP_FAILED) return ReadError(path);
  std::shared_ptr<const void> owner(memory, [size](void* p) { munmap(p, size); });
  return MappedFile{{static_cast<const std::byte*>(memory), size}, std::move(owner)};
}

void ForgetPages(std::span<const std::byte> mapped) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(mapped.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(mapped.data() + mapped.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // advice: may be ignored
}

void RemoveLeftovers(const std::string& path) {
  const std::string prefix = TempPrefix(path);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(FolderOf(path), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix, 0) != 0) continue;
    const int pid = std::atoi(name.c_str() + prefix.size());
    if (pid > 0 && pid != getpid() && kill(pid, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), ignored);
  }
}

Result<AtomicFile> AtomicFile::Open(const std::string& given_path) {
  std::error_code error;
  const std::string path = BehindLinks(given_path);
  const fs::path folder = FolderOf(path);
  if (!fs::is_directory(folder, error)) {
    return Error(ErrorId::kOutputFolder, path, ": the folder '", folder.string(), "' does not exist; make it first");
  }
  // A rename would put a file in the place of a device or a pipe.
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Error(ErrorId::kIoWrite, path, ": can't write: is ",
                 fs::is_directory(status) ? "a folder" : "no regular file");
  }
  RemoveLeftovers(path);
  AtomicFile file;
  file.path_ = path;
  file.temp_path_ = (folder / (TempPrefix(path) + std::to_string(getpid()))).string();
  file.fd_ = open(file.temp_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.fd_ < 0) return WriteError(path);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), temp_path_(std::move(other.temp_path_)), fd_(std::exchange(other.fd_, -1)) {
  other.temp_path_.clear();
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (!temp_path_.empty()) unlink(temp_path_.c_str());
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteError(path_);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::Ok();
}

Status AtomicFile::Write(std::string_view text) { return Write(std::as_bytes(std::span(text.data(), text.size()))); }

Status AtomicFile::Commit() {
  if (fsync(fd_) != 0) return WriteError(path_);
  if (close(std::exchange(fd_, -1)) != 0) return WriteError(path_);
  if (rename(temp_path_.c_str(), path_.c_str()) != 0) return WriteError(path_);
  temp_path_.clear();
  return Status::Ok();
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  PREON_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Open(path));
  PREON_RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

Result<TempDir> TempDir::Create(const std::string& parent) {
  std::string path = (fs::path(parent) / "preon-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return Error(ErrorId::kIoWrite, parent, ": can't make a temporary folder: ", std::strerror(errno));
  }
  TempDir dir;
  dir.path_ = std::move(path);
  return dir;
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string TempDir::File(std::string_view name) const { return (fs::path(path_) / name).string(); }

}  // namespace preon
